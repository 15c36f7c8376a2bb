import { MissingChunk } from '../blobs/store.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import { sourceOf } from '../deidentify/copy.js';
import { AppError, IntegrityError } from '../errors.js';
import { readHead } from '../imaging/head.js';
import type { ImageDoc } from '../models/image.js';
import { instanceFor } from '../studies/instance.js';
import { dataSetIn, firstValue } from './json.js';
import { searchableIn } from './searchable.js';

const POSITION = 'indexInstances';
const BATCH = 25;

/**
 * Makes the DICOM files of earlier versions known to DICOMweb: uploads of this one are from the start. Goes through the
 * images once, some at a time. Returns true when there may be more. It passes a file whose bytes are missing only when it
 * could read a later one: the place of all of them may be away.
 */
export async function indexInstances(core: Core): Promise<boolean> {
  const { Image, Position } = core.models;
  const after: ObjectId | undefined = (await Position.findById(POSITION).lean())?.after;
  const images = await Image.find({
    contentType: 'application/dicom',
    instance: { $exists: false },
    ...(after ? { _id: { $gt: after } } : {}),
  })
    .sort({ _id: 1 })
    .limit(BATCH)
    .lean<ImageDoc[]>();
  let reached: ObjectId | undefined;
  for (const image of images) {
    const instance = await instanceIn(core, image);
    if (instance === undefined) continue;
    reached = image._id;
    // No other change is lost: only this field is written, and only while it is absent.
    if (instance) await Image.updateOne({ _id: image._id, instance: { $exists: false } }, { $set: { instance } });
  }
  if (reached) await Position.updateOne({ _id: POSITION }, { $set: { after: reached } }, { upsert: true });
  return images.length === BATCH && reached !== undefined;
}

/** Returns null for a file that lacks a UID, or whose header cannot be followed; undefined when its bytes are missing. */
async function instanceIn(core: Core, image: ImageDoc) {
  try {
    const attributes = searchableIn(await readHead(sourceOf(core, image)));
    if (!attributes) return null;
    const set = dataSetIn(attributes);
    const uid = (tag: string) => {
      const value = firstValue(set, tag);
      return /^[0-9.]{1,64}$/.test(value) ? { value } : null;
    };
    const [study, series, sop] = [uid('0020000D'), uid('0020000E'), uid('00080018')];
    if (!study || !series || !sop) return null;
    const identity = { studyUid: study.value, seriesUid: series.value, sopUid: sop.value, attributes };
    return await instanceFor(core, image, identity);
  } catch (error) {
    if (error instanceof MissingChunk) return undefined;
    if (error instanceof AppError || error instanceof IntegrityError) return null;
    throw error;
  }
}
