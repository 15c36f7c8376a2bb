// The bare target: it stores and returns files, and passes messages on, with the product's own libraries and the least
// possible work. It has no checks but that of a token, no cipher and no audit. It is a separate process, like the gateway.
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { grouped } from '@lightbox/core/db/group.js';
import { isPassword } from '@lightbox/core/keys/password.js';
import busboy from 'busboy';
import express, { type Request } from 'express';
import mongoose, { type mongo } from 'mongoose';
import { Server } from 'socket.io';
import { checkBare } from './bareTokens.js';

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

/** The people of the tokens that were checked: each is checked once. */
const people = new Map<string, string>();

function personOf(token: string): string {
  const known = people.get(token);
  if (known) return known;
  const id = checkBare(token);
  people.set(token, id);
  return id;
}

const tokenOf = ({ headers }: Request): string => headers.authorization?.split(' ')[1] ?? '';

const app = express();
app.post('/message/send', express.json(), async (req, res) => {
  res.status(201).json({ data: await send(personOf(tokenOf(req)), req.body) });
});
// The same as it is usually written: each call checks its token, and writes its message alone.
app.post('/untuned/message/send', express.json(), async (req, res) => {
  const sender = checkBare(tokenOf(req));
  const message = req.body as Message;
  const stored = { ...message, sender, createAt: new Date() };
  await messages.insertOne(stored);
  io.to([message.recipientId, sender]).emit('message:new', message);
  res.status(201).json({ data: stored });
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
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? [];
  const part = first && last ? { start: Number(first), end: Number(last) + 1 } : {};
  res.status(first ? 206 : 200);
  await pipeline(bucket.openDownloadStream(new mongoose.mongo.ObjectId(req.params.id), part), res);
});
const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
// The same value as in the gateway: the client's connections stay open during the rounds of the other target.
server.keepAliveTimeout = 65_000;

const io = new Server(server, { serveClient: false, perMessageDeflate: false });
io.on('connection', (socket) => {
  const person = personOf((socket.handshake.auth as { token: string }).token);
  socket.join(person);
  socket.on('message:send', async (message: Message, acknowledge: (answer: object) => void) =>
    acknowledge({ data: await send(person, message) }),
  );
});

process.once('disconnect', () => process.exit(0));
