import { beforeEach, expect, it, vi } from 'vitest';
import { liveToken } from '../lib/http';
import { answer } from '../lib/testing';
import { findUnfinished, keepUnfinished } from './resumable';
import { signIn } from './testing';
import { abandon, sendInPieces } from './tus';

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
    static terminate = async (url: string, { headers }: { headers: Record<string, string> }) => {
      requests.push(`${url} ${headers.Authorization}`);
    };
  },
}));

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
  signIn();
  const stop = new AbortController();
  const sending = sendIt(stop.signal);
  stop.abort();
  await expect(sending).rejects.toBe(stop.signal.reason);
  expect(requests).toEqual([]);
});

it('A large file of one person is not sent with the token of the next one.', async () => {
  // The token has run out, so the request waits for a new one.
  signIn({ token: `h.${btoa(JSON.stringify({ exp: 0 }))}.s` });
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

const begun = { fingerprint: 'f', hash: 'e'.repeat(64), url: '/api/upload/tus/1', size: 1, at: Date.now() };

it('An unfinished upload that its person discards is deleted at the server.', async () => {
  signIn();
  keepUnfinished(begun);
  await abandon(begun);
  expect(requests).toEqual(['/api/upload/tus/1 Bearer token']);
  expect(findUnfinished('f')).toBeUndefined();
});

it('An unfinished upload of one person is not deleted with the token of the next one.', async () => {
  signIn();
  keepUnfinished(begun);
  signIn({ id: 'b'.repeat(24), token: 'token of the next one' });
  await abandon(begun);
  expect(requests).toEqual([]);
});

it('An unfinished upload is not deleted when the next person signs in while the token is renewed.', async () => {
  signIn({ token: `h.${btoa(JSON.stringify({ exp: 0 }))}.s` });
  keepUnfinished(begun);
  answer({
    'POST /auth/refresh': () => {
      signIn({ id: 'b'.repeat(24), token: 'token of the next one' });
      return { body: { data: { token: 'late' } } };
    },
  });
  await abandon(begun);
  expect(requests).toEqual([]);
});
