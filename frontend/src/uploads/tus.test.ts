import { beforeEach, expect, it, vi } from 'vitest';
import { startSession } from '../auth/session';
import { liveToken } from '../lib/http';
import { answer } from '../lib/testing';
import { sendInPieces } from './tus';

interface Options {
  onBeforeRequest: (request: { setHeader: (name: string, value: string) => void }) => Promise<void>;
  onError: (error: Error) => void;
}
const requests = vi.hoisted((): string[] => []);
/** The library, with one request: as there, an end that comes while its headers are asked for does not hold it up. */
vi.mock('tus-js-client', () => ({
  DetailedError: class extends Error {},
  Upload: class {
    constructor(
      _: unknown,
      readonly options: Options,
    ) {}
    start() {
      let sentWith = '';
      const setHeader = (_: string, value: string) => {
        sentWith = value;
      };
      this.options
        .onBeforeRequest({ setHeader })
        .then(() => requests.push(sentWith))
        .catch(this.options.onError);
    }
    abort = async () => {};
  },
}));

const signIn = (token: string) =>
  startSession(
    {
      id: 'a'.repeat(24),
      firstname: 'Ana',
      lastname: 'Ruiz',
      email: 'a@example.org',
      username: 'ana',
      role: { name: 'healthProvider' },
    },
    token,
  );
const sendIt = (signal: AbortSignal) =>
  sendInPieces({
    file: new File(['x'], 'large.dcm'),
    hash: 'e'.repeat(64),
    caption: '',
    idempotencyKey: 'k',
    onProgress: () => undefined,
    signal,
  });
beforeEach(() => {
  requests.length = 0;
});

it('A large file that is cancelled before its first request is not sent.', { timeout: 5_000 }, async () => {
  signIn('token');
  const stop = new AbortController();
  const sending = sendIt(stop.signal);
  stop.abort();
  await expect(sending).rejects.toBe(stop.signal.reason);
  expect(requests).toEqual([]);
});

it('A large file of one person is not sent with the token of the next one.', async () => {
  // The token has run out, so the request waits for a new one.
  signIn(`h.${btoa(JSON.stringify({ exp: 0 }))}.s`);
  const stop = new AbortController();
  answer({
    'POST /auth/refresh': () => {
      stop.abort();
      return { body: { data: { token: 'token of the next one' } } };
    },
  });
  await expect(sendIt(stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
  expect(await liveToken()).toBe('token of the next one');
  await new Promise((turn) => setTimeout(turn));
  expect(requests).toEqual([]);
});
