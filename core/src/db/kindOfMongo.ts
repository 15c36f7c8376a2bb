import { mongo } from 'mongoose';

/**
 * The kind of a MongoDB: part of a replica set (or a router to several), not yet part of one, or standalone; null when
 * it does not answer.
 */
export type MongoKind = 'set' | 'setToBe' | 'standalone' | null;

export const noReplicaSetMessage =
  'MONGODB_URI names a MongoDB that is not a replica set: start it with --replSet rs0 and run rs.initiate() once.';

/** Asks the server directly, whatever set it is expected to belong to. */
export async function kindOfMongo(uri: string): Promise<MongoKind> {
  const client = new mongo.MongoClient(uri, {
    serverSelectionTimeoutMS: 2000,
    directConnection: !uri.includes(',') && !uri.includes('+srv'),
  });
  try {
    const hello = await client.db('admin').command({ hello: 1 });
    if (hello.setName || hello.msg === 'isdbgrid') return 'set';
    return hello.isreplicaset ? 'setToBe' : 'standalone';
  } catch {
    return null;
  } finally {
    await client.close();
  }
}
