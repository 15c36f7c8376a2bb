import type { ErrorCode } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { dataSetIn, type JsonDataSet, type JsonElement } from '@lightbox/core/dicomWeb/json.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Gateway } from '../context.js';
import { FileRejected } from '../files/rejected.js';
import { stream } from '../http/stream.js';
import { deviceOf } from '../images/admitImage.js';
import { quotaOf, type StoredFile, storeFile } from '../images/storeImage.js';
import { addressOf, jsonHeaders } from './answer.js';
import type { Call, Uids } from './instances.js';
import { type IncomingPart, partsOf } from './parts.js';
import { type StoreOutcome, StoreStatus, storeInstance } from './storeInstance.js';

/** Faults of a request after which the parts before them stay stored, and the reason why the rest is not. */
const faults: Partial<Record<ErrorCode, StoreStatus>> = {
  MALFORMED_UPLOAD: StoreStatus.notUnderstood,
  PAYLOAD_TOO_LARGE: StoreStatus.outOfResources,
};

type Store = Omit<Call<Uids>, 'params'> & { params?: Uids | undefined };

/**
 * Stores the parts of a request as they arrive (STOW-RS, PS3.18 §10.5). Each is an upload of its own, by the same way as
 * every other one. A part is whole when the boundary behind it has come: those before a fault of the request are stored.
 */
export async function storeInstances(context: Store): Promise<undefined> {
  const { gateway, viewer, req } = context;
  const maxBytes = await gateway.settings.get('upload.maxBytes');
  if (await gateway.usage.isFull(viewer._id, await quotaOf(gateway))) throw new AppError('QUOTA_REACHED');
  await gateway.throttle.check('deviceStudies', deviceOf(viewer));
  const outcomes: StoreOutcome[] = [];
  let unreadable = 0;
  try {
    for await (const part of partsOf(req)) {
      if (outcomes.length === limits.dicomParts) throw new AppError('PAYLOAD_TOO_LARGE');
      const outcome = await storePart(context, part, maxBytes);
      outcomes.push(outcome);
      if (outcome.reason === StoreStatus.notUnderstood) unreadable++;
      if (unreadable > limits.dicomPartsUnreadable) throw new AppError('MALFORMED_UPLOAD');
    }
  } catch (error) {
    const reason = error instanceof AppError ? faults[error.code] : undefined;
    // The parts before the fault stay stored, so the answer names them. The rest of the request is one failure more.
    if (reason === undefined || outcomes.every((outcome) => outcome.reason !== null)) throw error;
    outcomes.push({ identity: {}, reason });
  }
  if (outcomes.length === 0) throw new AppError('MALFORMED_UPLOAD');
  const failed = outcomes.filter(({ reason }) => reason !== null);
  const status = failed.length === 0 ? 200 : failed.length < outcomes.length ? 202 : 409;
  const answer = Buffer.from(JSON.stringify(answerOf(gateway, context.params?.study, outcomes)));
  // Each part is in the log as an upload.
  await stream(context, { status, headers: jsonHeaders(), chunks: answer, record: async () => undefined });
  return undefined;
}

async function storePart(context: Store, part: IncomingPart, maxBytes: number): Promise<StoreOutcome> {
  const { gateway, params, req } = context;
  return storeInstance(context, {
    maxBytes,
    receive: (imageId) => {
      // No part is longer than the request, if it says how long it is.
      const most = Math.min(maxBytes, Number(req.get('content-length') ?? maxBytes));
      return receive(gateway, imageId, part, { maxBytes, most });
    },
    isExpected: ({ studyUid }) => params?.study === undefined || params.study === studyUid,
  });
}

async function receive(
  gateway: Gateway,
  imageId: ObjectId,
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

const sequence = (items: JsonDataSet[]): JsonElement => ({ vr: 'SQ', Value: items });

/** Returns the data set of the response (PS3.18 §I.2). */
function answerOf(gateway: Gateway, study: string | undefined, outcomes: readonly StoreOutcome[]): JsonDataSet {
  const [stored, failed, other]: JsonDataSet[][] = [[], [], []];
  const studies = new Set<string>();
  for (const { identity, reason } of outcomes) {
    const { studyUid = '', seriesUid = '', sopUid, attributes } = identity;
    const sopClass = attributes ? dataSetIn(attributes)['00080016'] : undefined;
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
