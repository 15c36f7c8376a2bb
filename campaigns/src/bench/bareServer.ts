// The bare target: it stores and returns files, and passes messages on, with the product's own libraries and the least
// possible work. It has no tokens, no checks, no cipher and no audit. It is a separate process, like the gateway.
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { grouped } from '@lightbox/core/db/group.js';
import { isPassword } from '@lightbox/core/keys/password.js';
import busboy from 'busboy';
import express, { type Request } from 'express';
import mongoose, { type mongo } from 'mongoose';
import { Server } from 'socket.io';

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

interface Message {
  recipientId: string;
  content: string;
  clientId: string;
}

const messages = connection.db.collection('bareMessages');
await messages.createIndex({ sender: 1, recipientId: 1, createAt: 1 });
const insert = grouped(async (sent: object[]) => {
  await messages.insertMany(sent);
  return sent;
});

/** Stores a message with those that arrive at the same time, and then sends it to its two people. */
async function send(sender: string, message: Message): Promise<object> {
  const stored = await insert({ ...message, sender, createAt: new Date() });
  io.to([message.recipientId, sender]).emit('message:new', message);
  return stored;
}

const app = express();
app.post('/message/send', express.json(), async (req, res) => {
  res.status(201).json({ data: await send(req.headers.authorization?.split(' ')[1] ?? '', req.body) });
});
// The check of a password alone, with the parameters and lanes of the product.
app.post('/login', express.json(), async (req, res) => {
  const { hash, password } = req.body as { hash: string; password: string };
  res.json({ data: await isPassword(hash, password) });
});
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

const io = new Server(server, { serveClient: false, perMessageDeflate: false });
io.on('connection', (socket) => {
  // Its token is the person's id.
  const { token } = socket.handshake.auth as { token: string };
  socket.join(token);
  socket.on('message:send', async (message: Message, acknowledge: (answer: object) => void) =>
    acknowledge({ data: await send(token, message) }),
  );
});

process.once('disconnect', () => process.exit(0));
