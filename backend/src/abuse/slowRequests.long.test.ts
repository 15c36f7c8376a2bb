import { connect, type Socket } from 'node:net';
import { testConfig } from '@lightbox/testkit/config.js';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../gateway.js';
import { buildProvider, type Person } from '../testing/factories.js';
import { firstAdmin } from '../testing/gateway.js';

/** A gateway with short timeouts: one second here instead of minutes. */
let running: RunningGateway;
let person: Person;

beforeAll(async () => {
  const config = await testConfig({ admin: firstAdmin, rateLimits: false });
  const patience = { requestTimeout: 1_000, headersTimeout: 500, connectionsCheckingInterval: 100 };
  running = await startGateway(config, undefined, patience);
  await running.ready;
  person = await buildProvider(running.gateway);
});
afterAll(() => running.stop());

interface Talk {
  socket: Socket;
  answer: Promise<string>;
}

/** Writes the beginning of a request and then leaves the server waiting. */
function begin(...lines: string[]): Talk {
  const socket = connect(running.port, '127.0.0.1');
  socket.write(lines.join('\r\n'));
  let said = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (part) => {
      said += part;
    });
    socket.on('close', () => resolve(said));
    socket.on('error', () => resolve(said));
  });
  return { socket, answer };
}

const bearer = () => `Authorization: Bearer ${person.token}`;

describe('a request that does not come to its end', () => {
  it.each([
    ['silence after half of the headers', () => ['GET /api/users HTTP/1.1', 'Host: localhost', 'X-Slow: ']],
    [
      'a body shorter than it says',
      () => [
        'POST /api/auth/login HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        'Content-Length: 500',
        '',
        '{"email":',
      ],
    ],
    [
      'a form shorter than it says',
      () => [
        'POST /api/upload/image HTTP/1.1',
        'Host: localhost',
        bearer(),
        'Content-Type: multipart/form-data; boundary=b',
        'Content-Length: 9000',
        '',
        '--b\r\nContent-Disposition: form-data; name="caption"\r\n\r\nx',
      ],
    ],
    [
      'a part of a request to store by DICOMweb that is shorter than it says',
      () => [
        'POST /dicom-web/studies HTTP/1.1',
        'Host: localhost',
        bearer(),
        'Content-Type: multipart/related; type="application/dicom"; boundary=b',
        'Content-Length: 9000',
        '',
        '--b\r\nContent-Type: application/dicom\r\n\r\nx',
      ],
    ],
  ])('%s is answered with 408 in the envelope', async (_, lines) => {
    const answer = await begin(...lines()).answer;
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    expect(body).toEqual({ message: expect.any(String), error: 'REQUEST_TIMEOUT', requestId: expect.any(String) });
  });

  it('a request that arrives byte by byte is ended too', async () => {
    const { socket, answer } = begin('POST /api/auth/login HTTP/1.1', 'Host: localhost', 'Content-Length: 500', '', '');
    const drip = setInterval(() => socket.writable && socket.write(' '), 100);
    expect(await answer).toMatch(/^HTTP\/1\.1 (408|415) /);
    clearInterval(drip);
  });

  it('fifty unfinished requests at once do not delay other clients', async () => {
    const slow = Array.from({ length: 50 }, () => begin('GET / HTTP/1.1', 'Host: localhost', 'X: '));
    await request(`http://127.0.0.1:${running.port}`).get('/healthz').expect(200);
    for (const { answer } of slow) expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});
