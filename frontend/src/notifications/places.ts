import type { PushKind } from '@lightbox/contract/push/calls.js';
import { paths } from '../lib/paths';

const image = [`${paths.viewImages}?image=:id`, paths.viewImages] as const;
const analysis = [paths.aiAnalysis(':id'), paths.viewImages] as const;

/** Where each kind leads, with the id of what it is about and without one. The service worker is given this table too. */
export const places: Record<PushKind, readonly [withId: string, without: string]> = {
  'share.created': image,
  'share.verified': image,
  // Whoever lost access finds no image there any more.
  'share.revoked': [paths.viewImages, paths.viewImages],
  'analysis.completed': analysis,
  'analysis.failed': analysis,
  'provider.registered': [paths.approveProvider, paths.approveProvider],
  'user.bulkRead': [`${paths.auditLogs}?user=:id`, paths.auditLogs],
  'message.new': [`${paths.messages}?chat=:id`, paths.messages],
};

/** The image, the analysis, the chat, or the list of those who wait for approval. */
export const addressOf = ({ kind, recordId }: { kind: PushKind; recordId?: string | undefined }): string =>
  recordId ? places[kind][0].replace(':id', recordId) : places[kind][1];
