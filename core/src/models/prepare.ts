import type { Collection, Model, mongo } from 'mongoose';
import type { Models } from './models.js';
import { refuseLaterVersion, upgradeRecords } from './upgrade.js';

/**
 * Refuses a database of a later version. Creates the collections and indexes that are missing: transactions on MongoDB
 * 4.2 cannot create them. Then changes what an older version left.
 */
export async function prepareModels(models: Models, warn: (error: unknown, text: string) => void): Promise<void> {
  await refuseLaterVersion(models);
  for (const model of Object.values(models) as Model<unknown>[]) await prepareModel(model, warn);
  await upgrade(models);
  await upgradeRecords(models);
}

/** One command creates a collection with all its indexes: a start asks once for each collection. */
async function prepareModel(model: Model<unknown>, warn: (error: unknown, text: string) => void): Promise<void> {
  const indexes = model.schema.indexes() as [mongo.IndexSpecification, mongo.CreateIndexesOptions][];
  if (indexes.length === 0) {
    await model.createCollection();
    return;
  }
  try {
    await model.collection.createIndexes(
      indexes.map(([key, options]) => ({ ...options, key })) as mongo.IndexDescription[],
    );
  } catch (error) {
    if (!isConflict(error)) throw error;
    for (const [fields, options] of indexes) await ensureIndex(model, fields, options, warn);
  }
}

/**
 * Images of versions without studies stand for themselves; an index finds them. DICOM files that were stored then stay
 * single, because their UIDs are in the sealed files alone. Their shares had one unique index that allows a person no
 * second share of a study. An emergency access whose provider had answered waited for nobody.
 */
async function upgrade({ Emergency, Image, Share, User }: Models): Promise<void> {
  await Image.collection.updateMany({ isLead: null as never }, [{ $set: { isLead: true, shownTo: '$audience' } }]);
  await Emergency.updateMany({ state: 'answered', waits: false }, { $set: { waits: true } });
  await dropIndexOf(Share.collection, 'image,recipient');
  // `bySearch` begins with the words.
  await dropIndexOf(User.collection, 'words');
  // The one that begins with the UID serves searches too.
  await dropIndexOf(Image.collection, 'owner,instance.sop');
}

async function dropIndexOf(collection: Pick<Collection, 'indexes' | 'dropIndex'>, fields: string): Promise<void> {
  const old = (await collection.indexes()).find(({ key }) => Object.keys(key).join() === fields);
  if (old?.name) await collection.dropIndex(old.name);
}

/** MongoDB's codes for an index that exists with other options: IndexOptionsConflict, IndexKeySpecsConflict. */
const CONFLICTS = new Set([85, 86]);
const isConflict = (error: unknown): boolean => CONFLICTS.has(Number((error as mongo.MongoServerError).code));

/**
 * Creates an index again that an older version made with other options. A unique index stays as it is, with a line in
 * the log: while it is absent, a value could be stored twice.
 */
async function ensureIndex(
  { collection }: Model<unknown>,
  fields: mongo.IndexSpecification,
  options: mongo.CreateIndexesOptions,
  warn: (error: unknown, text: string) => void,
): Promise<void> {
  try {
    await collection.createIndex(fields, options);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const existing = (await collection.indexes()).find(({ key }) => JSON.stringify(key) === JSON.stringify(fields));
    if (!existing?.name || existing.unique || options.unique) {
      warn(error, `an index of ${collection.name} has other options than it should; it is left as it is`);
      return;
    }
    await collection.dropIndex(existing.name);
    await collection.createIndex(fields, options);
  }
}
