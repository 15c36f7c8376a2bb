import { mongo } from 'mongoose';

/**
 * Lets the MongoDB of tests acknowledge a write before its journal is on the disk. Otherwise each write waits for the disk.
 * The tests of durability start servers of their own, which keep the settings of the product.
 */
export async function acknowledgeInMemory(mongodbUri: string): Promise<void> {
  const client = new mongo.MongoClient(mongodbUri);
  try {
    const admin = client.db('admin');
    const { config } = await admin.command({ replSetGetConfig: 1 });
    const version = config.version + 1;
    await admin.command({ replSetReconfig: { ...config, version, writeConcernMajorityJournalDefault: false } });
  } finally {
    await client.close();
  }
}
