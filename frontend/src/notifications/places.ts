import type { PushKind } from '@lightbox/contract/push/calls.js';
import { paths } from '../lib/paths';

const image = [`${paths.viewImages}?image=:id`, paths.viewImages] as const;
const analysis = [paths.aiAnalysis(':id'), paths.viewImages] as const;

/** The address of each kind of notification, with and without the id of its record. The service worker gets it too. */
export const places: Record<PushKind, readonly [withId: string, without: string]> = {
  'share.created': image,
  'share.verified': image,
  // After a revocation the recipient cannot open the image, so both addresses are the gallery.
  'share.revoked': [paths.viewImages, paths.viewImages],
  'analysis.completed': analysis,
  'analysis.failed': analysis,
  'provider.registered': [paths.approveProvider, paths.approveProvider],
  'user.bulkRead': [`${paths.auditLogs}?user=:id`, paths.auditLogs],
  'message.new': [`${paths.messages}?chat=:id`, paths.messages],
};

/** Returns the address of a notification: an image, an analysis, a chat, or the list of providers who wait for approval. */
export const addressOf = ({ kind, recordId }: { kind: PushKind; recordId?: string | undefined }): string =>
  recordId ? places[kind][0].replace(':id', recordId) : places[kind][1];
