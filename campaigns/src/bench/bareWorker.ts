// A bare BullMQ worker: its jobs read one record by its id, with the driver alone.
import { connectRedis } from '@lightbox/core/db/redis.js';
import { Worker } from 'bullmq';
import mongoose from 'mongoose';

const database = await mongoose.createConnection(process.env.MONGODB_URI ?? '', { maxPoolSize: 30 }).asPromise();
const records = database.collection('bareMessages');
const connection = connectRedis(process.env.REDIS_URL ?? '', 'patient');
const read = async ({ data }: { data: { messageId: string } }) =>
  records.findOne({ _id: new mongoose.mongo.ObjectId(data.messageId) });
const worker = new Worker('bare', read, { connection, concurrency: 10 });
worker.on('error', () => undefined);
await worker.waitUntilReady();
process.send?.('ready');
process.once('disconnect', () => process.exit(0));
