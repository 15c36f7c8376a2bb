import type { LookAction } from '@lightbox/contract/audit/actions.js';
import { carerLook } from '@lightbox/contract/carers/states.js';
import type { OpenedBy } from '@lightbox/core/access/grounds.js';
import {
  accessBy,
  decideForm,
  formBy,
  type ImageAccess,
  type InForm,
  inForm,
  readFacts,
  requireForm,
} from '@lightbox/core/access/images.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { NewEvent } from '@lightbox/core/events/events.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { Context, Reader } from '../context.js';
import { type Streaming, stream } from '../http/stream.js';

/** A call about one image, by a signed-in person or a guest. */
export type OfImage = Pick<Context, 'gateway'> & { viewer: Reader; params: { id: string } };

const extensions: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
  'application/dicom': 'dcm',
};
export const extensionOf = (contentType: string): string => extensions[contentType] ?? 'bin';

/** Headers that keep uploaded content from running in the product's origin: never sniffed, and sandboxed. */
export const guarded = (contentType: string): Record<string, string> => ({
  'Content-Type': contentType,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'no-store',
});

/** The name of what a person read about an image a moment ago. */
export const recentKey = ({ viewer, params }: Pick<OfImage, 'viewer' | 'params'>): string =>
  `${viewer.role}:${viewer.id}:${params.id}`;

/** Checks the right before the answer, by what was read a moment ago if that permits it (`recent.ts`). */
export async function checkFirst(context: OfImage, act: Act): Promise<ImageAccess & InForm> {
  const { gateway, viewer, params } = context;
  const { facts } = gateway.recent;
  const now = gateway.clock.now();
  const key = recentKey(context);
  const kept = await facts.getSoon(key);
  const access = kept && accessBy(viewer, kept, now);
  if (access && decideForm(viewer, access.facts, act).may) return { ...access, ...inForm(viewer, access, act) };
  const begun = facts.begin();
  const read = await facts.whileRead(key, begun, readFacts(gateway.models, viewer, params.id, now));
  const permitted = formBy(viewer, read, act, now);
  facts.keep(key, read, begun);
  return permitted;
}

type Act = 'open' | 'download';

const check =
  (act: Act) =>
  ({ gateway, params }: Omit<OfImage, 'viewer'>) =>
  (viewer: Reader): Promise<ImageAccess & InForm> =>
    requireForm(gateway.models, viewer, params.id, act, gateway.clock.now());

/**
 * Checks again the right to open the image, or its copy without identity: after a wait, and while bytes go out. The
 * form of the answer is that of the first check.
 */
export const checkOpen = check('open');
/** Checks the right to download in the same way. */
export const checkDownload = check('download');

/**
 * The check while bytes go out. It fails when the viewer may have only a copy without identity by now, and got the original
 * so far.
 */
export const inSameForm =
  (check: (viewer: Reader) => Promise<InForm>, { copy }: InForm) =>
  async (viewer: Reader): Promise<void> => {
    const now = await check(viewer);
    if (copy === null && now.copy !== null) throw new AppError('FORBIDDEN');
  };

interface Bytes {
  contentType: string;
  length: number;
  disposition: string;
  etag?: string;
  /** Further headers. */
  headers?: Record<string, string>;
  /** The answer has a part of the bytes. */
  partial?: boolean;
  /** All of them as one buffer, when they are few. */
  chunks: AsyncGenerator<Buffer> | Buffer;
  /** Records the read in the audit log. */
  record: () => Promise<void>;
  /** Checks the right while bytes go out. */
  may: (viewer: Reader) => Promise<unknown>;
}

/** Streams bytes of an image. The read is in the audit log before the first byte is sent. */
export async function sendBytes(context: Streaming & OfImage, bytes: Bytes): Promise<undefined> {
  await stream(context, {
    chunks: bytes.chunks,
    ...(bytes.partial ? { status: 206 } : {}),
    ...(bytes.etag ? { etag: bytes.etag } : {}),
    headers: {
      ...guarded(bytes.contentType),
      'Content-Length': String(bytes.length),
      'Content-Disposition': bytes.disposition,
      ...bytes.headers,
    },
    record: bytes.record,
    may: bytes.may,
  });
  return undefined;
}

const asGuest = { 'image.content': 'guest.downloaded', 'study.content': 'guest.downloaded' } as const;

/** An image or a study that somebody reads. */
export interface Seen extends Pick<ImageDoc | StudyDoc, '_id' | 'owner'> {
  /** The record on which the right rests: an emergency access, or that of a carer. */
  by?: ObjectId;
  /** The reason in the log. */
  reason?: string;
}

/** The record of an access check on which the right rests, for the record of the look. */
export function byOf({ emergency, carer }: OpenedBy): Pick<Seen, 'by' | 'reason'> {
  if (carer) return { by: carer._id, reason: carerLook };
  return emergency ? { by: emergency._id } : {};
}

/** The image of an access check, for the record of the look. */
export const seenImage = ({ image, ...by }: ImageAccess): ImageDoc & Seen => ({
  ...image,
  ...byOf(by),
});

/**
 * The action, the actor and the records of a read. The reads of a guest name the link, and no account. Those by an
 * emergency access, or of a carer, name its record.
 */
export function readBy(viewer: Reader, type: LookAction, { _id, owner, by, reason }: Seen): NewEvent {
  if (viewer.role !== 'guest') {
    return { type, record: _id, owners: [owner], ...(by ? { records: [by] } : {}), ...(reason ? { reason } : {}) };
  }
  const action = type in asGuest ? asGuest[type as keyof typeof asGuest] : 'guest.viewed';
  return { type: action, record: _id, records: [viewer._id], owners: [owner] };
}
