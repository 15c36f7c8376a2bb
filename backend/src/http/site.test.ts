import { readdirSync, readFileSync } from 'node:fs';
import { createServer, get, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, describe, expect, it } from 'vitest';
import { serveSite } from './site.js';

const assets = fileURLToPath(new URL('../../../frontend/dist/assets/', import.meta.url));
const name = readdirSync(assets).find((file) => /^index-.*\.js$/.test(file)) ?? '';
const built = readFileSync(`${assets}${name}`);
const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (sent: Buffer) => sent };

const app = express();
serveSite(app);
const server = createServer(app).listen(0, '127.0.0.1');
afterAll(() => void server.close());

interface Sent {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Reads the file without decoding it. */
const read = (headers: Record<string, string>) =>
  new Promise<Sent>((done, failed) => {
    const { port } = server.address() as AddressInfo;
    get({ port, path: `/assets/${name}`, headers }, (res) =>
      buffer(res).then((body) => done({ status: res.statusCode, headers: res.headers, body }), failed),
    ).on('error', failed);
  });

describe('a built file', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', 'identity'],
    ['br;q=0, gzip', 'gzip'],
  ] as const)('for a browser that accepts "%s" comes as %s', async (accepted, encoding) => {
    const { headers, body } = await read({ 'Accept-Encoding': accepted });
    expect(headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/javascript; charset=utf-8$/i),
      // An answer that is compressed while it is sent has no length.
      'content-length': String(body.length),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect(decoders[encoding](body).equals(built)).toBe(true);
    const again = await read({ 'Accept-Encoding': accepted, 'If-None-Match': headers.etag ?? '' });
    expect(again.status).toBe(304);
  });
});
