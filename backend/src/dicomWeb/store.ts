import type { ErrorCode } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { JsonDataSet, JsonElement } from '@lightbox/core/dicomWeb/json.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import { titleOf } from '@lightbox/core/studies/title.js';
import type { Gateway, Viewer } from '../context.js';
import { FileRejected } from '../files/rejected.js';
import { asAppError } from '../http/errors.js';
import { stream } from '../http/stream.js';
import { admitImage, asRefusal, countStudyFile } from '../images/admitImage.js';
import { quotaOf, type StoredFile, storeFile } from '../images/storeImage.js';
import { readImage } from '../images/uploadImage.js';
import { addressOf, jsonHeaders } from './answer.js';
import { alreadyStored } from './duplicate.js';
import type { Call, Uids } from './instances.js';
import { type IncomingPart, partsOf } from './parts.js';

type Store = Omit<Call<Uids>, 'params'> & { params?: Uids | undefined };

/** The outcome of one part. A part that is no DICOM file has no identity. */
interface Outcome {
  identity: Partial<Pick<FileIdentity, 'studyUid' | 'seriesUid' | 'sopUid' | 'attributes'>>;
  /** Failure Reason (0008,1197), PS3.18 §I.2.2; null for a file that is stored. */
  reason: number | null;
}

const OUT_OF_RESOURCES = 0xa700;
const ANOTHER_STUDY = 0xa900;
const NOT_UNDERSTOOD = 0xc000;
const PROCESSING = 0x0110;
const DUPLICATE = 0x0111;

const reasons: Partial<Record<ErrorCode, number>> = {
  QUOTA_REACHED: OUT_OF_RESOURCES,
  STORAGE_FULL: OUT_OF_RESOURCES,
  TOO_MANY_REQUESTS: OUT_OF_RESOURCES,
  FILE_TOO_LARGE: OUT_OF_RESOURCES,
  CONFLICT: DUPLICATE,
};

/**
 * Stores the parts of a request as they arrive (STOW-RS, PS3.18 §10.5). Each is an upload of its own, by the same way as
 * every other one. A part is whole when the boundary behind it has come: those before a fault of the request are stored.
 */
export async function storeInstances(context: Store): Promise<undefined> {
  const { gateway, viewer, req } = context;
  const maxBytes = await gateway.settings.get('upload.maxBytes');
  if (await gateway.usage.isFull(viewer._id, await quotaOf(gateway))) throw new AppError('QUOTA_REACHED');
  const outcomes: Outcome[] = [];
  for await (const part of partsOf(req)) {
    if (outcomes.length === limits.dicomParts) throw new AppError('PAYLOAD_TOO_LARGE');
    outcomes.push(await storePart(context, part, maxBytes, outcomes.length === 0));
  }
  if (outcomes.length === 0) throw new AppError('MALFORMED_UPLOAD');
  const failed = outcomes.filter(({ reason }) => reason !== null);
  const status = failed.length === 0 ? 200 : failed.length < outcomes.length ? 202 : 409;
  const answer = Buffer.from(JSON.stringify(answerOf(gateway, context.params?.study, outcomes)));
  // Each part is in the log as an upload.
  await stream(context, { status, headers: jsonHeaders(), chunks: answer, record: async () => undefined });
  return undefined;
}

async function storePart(context: Store, part: IncomingPart, maxBytes: number, isFirst: boolean): Promise<Outcome> {
  const { gateway, viewer, actor, params, req } = context;
  let stored: StoredFile | null = null;
  try {
    // The call has taken the point of its first file.
    if (!isFirst) await gateway.throttle.take('upload', { caller: viewer.id });
    const imageId = newId();
    // No part is longer than the request, if it says how long it is.
    const most = Math.min(maxBytes, Number(req.get('content-length') ?? maxBytes));
    stored = await receive(gateway, imageId, part, { maxBytes, most });
    const { identity } = stored;
    const outcome = await admit({ gateway, viewer, actor }, imageId, stored, params?.study);
    if (outcome.kept) stored = null;
    return { identity, reason: outcome.reason };
  } catch (error) {
    const refused = asAppError(asRefusal(error, maxBytes));
    // As in `uploadImage`: after a fault of the server the record may exist.
    if (refused.status >= 500 && refused.code !== 'STORAGE_FULL') {
      stored = null;
      throw error;
    }
    if (refused.code === 'MALFORMED_UPLOAD' || refused.status === 401) throw refused;
    return {
      identity: stored?.identity ?? {},
      reason: reasons[refused.code] ?? (stored ? PROCESSING : NOT_UNDERSTOOD),
    };
  } finally {
    if (stored) await gateway.blobs.delete(stored.blob.id).catch(() => undefined);
  }
}

async function receive(
  gateway: Gateway,
  imageId: ReturnType<typeof newId>,
  part: IncomingPart,
  { maxBytes, most }: { maxBytes: number; most: number },
): Promise<StoredFile> {
  const { type, stream } = part;
  if (type !== null && type !== 'application/dicom')
    throw new FileRejected('UNSUPPORTED_TYPE', 'Only DICOM is stored.');
  const giveBack = await gateway.diskReserve.take(most);
  if (!giveBack) throw new AppError('STORAGE_FULL');
  let broken = false;
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      // A part that is refused is not destroyed: its parser would wait for ever for somebody to read it.
      yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    } catch {
      broken = true;
    }
    broken ||= part.broken;
    if (broken) throw new AppError('MALFORMED_UPLOAD');
  }
  try {
    const file = { stream: bytes(), declaredType: 'application/dicom', filename: undefined };
    return await storeFile(gateway, imageId, file, maxBytes);
  } catch (error) {
    throw broken ? new AppError('MALFORMED_UPLOAD') : error;
  } finally {
    giveBack();
  }
}

interface Admitted {
  reason: number | null;
  /** The bytes belong to an image now. */
  kept: boolean;
}

/** Makes a stored file an image. The same file again is stored already; another file with its UID is refused. */
async function admit(
  { gateway, viewer, actor }: { gateway: Gateway; viewer: Viewer; actor: Actor },
  imageId: ReturnType<typeof newId>,
  stored: StoredFile,
  study: string | undefined,
): Promise<Admitted> {
  const { identity, facts } = stored;
  const { studyUid, seriesUid, sopUid } = identity;
  if (facts.contentType !== 'application/dicom' || !studyUid || !seriesUid || !sopUid || !identity.attributes) {
    return { reason: NOT_UNDERSTOOD, kept: false };
  }
  if (study !== undefined && study !== studyUid) return { reason: ANOTHER_STUDY, kept: false };
  const again = async (): Promise<Admitted | null> => {
    const known = await alreadyStored(gateway, viewer._id, sopUid);
    if (!known) return null;
    // A client that begins a study anew counts like one that goes on with it.
    await countStudyFile(gateway, viewer, { isLead: false });
    return { reason: known === facts.sha256 ? null : DUPLICATE, kept: false };
  };
  const before = await again();
  if (before) return before;
  const upload = { caption: titleOf(identity).slice(0, limits.captionLength), patient: undefined };
  const uploaded = await admitImage(gateway, actor, viewer, imageId, upload, stored, { onlyOne: true }).catch(
    async (error) => {
      // Another request has stored it meanwhile.
      const meanwhile = error instanceof AppError && error.code === 'CONFLICT' ? await again() : null;
      if (!meanwhile) throw error;
      return meanwhile;
    },
  );
  if ('kept' in uploaded) return uploaded;
  await countStudyFile(gateway, viewer, uploaded.image ?? (await readImage(gateway, uploaded.id)));
  return { reason: null, kept: true };
}

const sequence = (items: JsonDataSet[]): JsonElement => ({ vr: 'SQ', Value: items });

/** Returns the data set of the response (PS3.18 §I.2). */
function answerOf(gateway: Gateway, study: string | undefined, outcomes: readonly Outcome[]): JsonDataSet {
  const [stored, failed, other]: JsonDataSet[][] = [[], [], []];
  const studies = new Set<string>();
  for (const { identity, reason } of outcomes) {
    const { studyUid = '', seriesUid = '', sopUid, attributes } = identity;
    const sopClass = attributes ? (JSON.parse(attributes) as JsonDataSet)['00080016'] : undefined;
    const reference: JsonDataSet = {
      '00081150': sopClass ?? { vr: 'UI' },
      '00081155': { vr: 'UI', ...(sopUid ? { Value: [sopUid] } : {}) },
    };
    const why = { '00081197': { vr: 'US', Value: [reason] } };
    if (reason === null) {
      studies.add(studyUid);
      const url = addressOf(gateway, { study: studyUid, series: seriesUid, instance: sopUid });
      stored?.push({ ...reference, '00081190': { vr: 'UR', Value: [url] } });
    } else if (sopUid) failed?.push({ ...reference, ...why });
    else other?.push(why);
  }
  const [only = study, ...others] = studies;
  const url = only !== undefined && others.length === 0 ? [addressOf(gateway, { study: only })] : null;
  return {
    '00081190': { vr: 'UR', ...(url ? { Value: url } : {}) },
    ...(failed?.length ? { '00081198': sequence(failed) } : {}),
    ...(stored?.length ? { '00081199': sequence(stored) } : {}),
    ...(other?.length ? { '0008119A': sequence(other) } : {}),
  };
}
