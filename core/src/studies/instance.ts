import { unwrapDataKey } from '../blobs/cipher.js';
import type { Core } from '../core.js';
import { bufferOf } from '../db/bytes.js';
import type { ObjectId } from '../db/ids.js';
import { dataSetIn, firstValue, type JsonDataSet } from '../dicomWeb/json.js';
import type { FileIdentity } from '../imaging/fileIdentity.js';
import { open, seal } from '../keys/seal.js';
import type { ImageDoc, Instance } from '../models/image.js';

const context = (imageId: string) => `${imageId}:instance`;

/** Returns the names under which DICOMweb finds UIDs: the same for the same UID, whoever owns the file. */
export const uidKeys = {
  study: ({ pseudonyms }: Pick<Core, 'pseudonyms'>, uid: string): Promise<ObjectId> =>
    pseudonyms.id('study instance', uid),
  series: ({ pseudonyms }: Pick<Core, 'pseudonyms'>, uid: string): Promise<ObjectId> =>
    pseudonyms.id('series instance', uid),
  sop: ({ pseudonyms }: Pick<Core, 'pseudonyms'>, uid: string): Promise<ObjectId> => pseudonyms.id('sop instance', uid),
};

/**
 * Returns what DICOMweb has to know of a file: pseudonyms of its UIDs, and the attributes for searches, sealed with the
 * image's data key. Null for a file that lacks a UID. The attributes are read by another parser than the UIDs: null too when
 * the two read different ones, so that a file is not found by one UID and answered with another text.
 */
export async function instanceFor(
  core: Core,
  { _id, dataKey }: Pick<ImageDoc, '_id' | 'dataKey'>,
  { studyUid, seriesUid, sopUid, attributes }: FileIdentity,
): Promise<Instance | null> {
  if (!studyUid || !seriesUid || !sopUid || !attributes) return null;
  const set = dataSetIn(attributes);
  const read = ['0020000D', '0020000E', '00080018'].map((tag) => firstValue(set, tag).trim());
  if (read.join() !== [studyUid, seriesUid, sopUid].join()) return null;
  const [study, series, sop] = await Promise.all([
    uidKeys.study(core, studyUid),
    uidKeys.series(core, seriesUid),
    uidKeys.sop(core, sopUid),
  ]);
  const key = unwrapDataKey(core.keys.images, String(_id), dataKey);
  return { study, series, sop, attributes: seal(key, context(String(_id)), Buffer.from(attributes)) };
}

/** Returns the attributes of an instance. Throws `IntegrityError` when they were changed. */
export function attributesOf(
  { keys }: Pick<Core, 'keys'>,
  { _id, dataKey, instance }: Pick<ImageDoc, '_id' | 'dataKey'> & { instance: Instance },
): JsonDataSet {
  const key = unwrapDataKey(keys.images, String(_id), dataKey);
  return dataSetIn(open(key, context(String(_id)), bufferOf(instance.attributes)).toString());
}
