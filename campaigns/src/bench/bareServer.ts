// The bare target: it stores and returns a file with the product's own libraries and the least possible work. It has no
// tokens, no checks, no cipher and no audit. It is a separate process, like the gateway.
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import express, { type Request } from 'express';
import mongoose, { type mongo } from 'mongoose';

const connection = await mongoose
  .createConnection(process.env.MONGODB_URI ?? '', { writeConcern: { w: 'majority' }, maxPoolSize: 30 })
  .asPromise();
if (!connection.db) throw new Error('The database is not connected.');
const bucket = new mongoose.mongo.GridFSBucket(connection.db, { bucketName: 'bare' });

function store(req: Request): Promise<mongo.ObjectId> {
  return new Promise((resolve, reject) => {
    const form = busboy({ headers: req.headers });
    form.on('file', (_name, file) => {
      const upload = bucket.openUploadStream('');
      pipeline(file, upload).then(() => resolve(upload.id), reject);
    });
    form.on('error', reject);
    req.pipe(form);
  });
}

const app = express();
app.post('/files', async (req, res) => {
  res.status(201).json({ data: { id: String(await store(req)) } });
});
app.get('/files/:id', async (req, res) => {
  res.setHeader('Content-Type', 'application/octet-stream');
  await pipeline(bucket.openDownloadStream(new mongoose.mongo.ObjectId(req.params.id)), res);
});
const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
// The same value as in the gateway: the client's connections stay open during the rounds of the other target.
server.keepAliveTimeout = 65_000;

process.once('disconnect', () => process.exit(0));
