import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { boundary } from '../testing/client.js';
import { buildProvider, type Person } from '../testing/factories.js';
import { png } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

afterAll(closeInspectors);

const MB = 1024 * 1024;
/** More than may be gathered at the same time. */
const SENDERS = 6;

interface Sender {
  req: ClientRequest;
  answered: Promise<[IncomingMessage]>;
}

/** Begins an upload, and sends the first bytes of its file. */
function begin({ token }: Person, bytes: Buffer): Sender {
  const req = request(`${test.url}/api/upload/image`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  });
  const answered = once(req, 'response') as Promise<[IncomingMessage]>;
  const field = 'Content-Disposition: form-data; name="caption"\r\n\r\nslow';
  const file = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png';
  req.write(`--${boundary}\r\n${field}\r\n--${boundary}\r\n${file}\r\n\r\n`);
  req.write(bytes);
  return { req, answered };
}

it('uploads whose senders have stopped do not stop others, and go on when their senders do', async () => {
  const provider = await buildProvider(test.gateway);
  const file = png(3, 2, 3 * MB);
  const part = Math.floor(2.5 * MB);
  const senders = Array.from({ length: SENDERS }, () => begin(provider, file.subarray(0, part)));
  const chunks = () => test.gateway.db.collection('blobs.chunks').countDocuments();
  // All but the chunk that is not full: nothing but a sender is waited for.
  await expect.poll(chunks).toBe(2 * SENDERS);
  await api.as(provider).upload(file).expect(201);
  for (const { req } of senders) req.end(Buffer.concat([file.subarray(part), Buffer.from(`\r\n--${boundary}--\r\n`)]));
  for (const { answered } of senders) {
    const [answer] = await answered;
    expect(answer.statusCode).toBe(201);
    expect(await json(answer)).toMatchObject({ data: { size: file.length, caption: 'slow' } });
  }
});
