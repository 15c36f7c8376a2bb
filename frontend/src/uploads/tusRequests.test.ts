import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { answer } from '../lib/testing';
import { sendPieces } from '../requests/sender';
import { signIn } from './testing';
import { sendInPieces } from './tus';

// The library as browsers load it: it has another build for Node.
vi.mock('tus-js-client', () => vi.importActual('tus-js-client/lib.esm/browser/index.js'));

interface Request {
  method: string;
  token: string;
}
type Answer = [status: number, headers?: Record<string, string>, body?: object];

const requests: Request[] = [];
let answers: Record<string, Answer | ((request: Request) => Answer)>;

/** The parts of XMLHttpRequest that the library uses. */
class Xhr {
  upload = {};
  status = 0;
  responseText = '';
  onload = () => {};
  private readonly request: Request = { method: '', token: '' };
  private headers: Record<string, string> = {};
  open(method: string) {
    this.request.method = method;
  }
  setRequestHeader(name: string, value: string) {
    if (name === 'Authorization') this.request.token = value.replace('Bearer ', '');
  }
  getResponseHeader = (name: string) => this.headers[name] ?? null;
  send() {
    requests.push(this.request);
    const found = answers[this.request.method] ?? [404];
    const [status, headers = {}, body] = typeof found === 'function' ? found(this.request) : found;
    // An answer to HEAD has no body.
    Object.assign(this, { status, headers, responseText: body ? JSON.stringify(body) : '' });
    queueMicrotask(() => this.onload());
  }
  abort() {}
}

const created: Answer = [201, { Location: '/api/upload/tus/1' }];
const nothingArrived: Answer = [200, { 'Upload-Offset': '0', 'Upload-Length': '1' }];
const stored: Answer = [204, { 'Upload-Offset': '1', 'Lightbox-Image': 'image' }];
const refusal = (error: string) => ({ message: '', error, requestId: 'r' });
const methods = () => requests.splice(0).map(({ method }) => method);

const file = new File(['x'], 'large.dcm');
const ofForm = () =>
  sendInPieces({
    ...{ file, hash: 'e'.repeat(64), caption: '', idempotencyKey: 'k' },
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
let begun: string | undefined;
const ofRequest = () =>
  sendPieces({
    ...{ file, caption: '', token: 'of the link', url: begun },
    onBegun: (url) => {
      begun = url;
    },
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });

beforeEach(() => {
  requests.length = 0;
  begun = undefined;
  signIn({ token: 'old' });
  vi.stubGlobal('XMLHttpRequest', Xhr);
});
afterEach(() => vi.unstubAllGlobals());

it('A large file goes on with a new token when the server says that the old one has expired.', async () => {
  answer({ 'POST /auth/refresh': () => ({ body: { data: { token: 'new' } } }) });
  // The clock of this computer is slow: by it, the token is still good.
  const unlessOld =
    (then: Answer) =>
    ({ token }: Request): Answer =>
      token === 'old' ? [401, {}, refusal('JWT_EXPIRED')] : then;
  answers = { POST: created, HEAD: unlessOld(nothingArrived), PATCH: unlessOld(stored) };
  expect(await ofForm()).toBe('image');
  expect(requests.map(({ method, token }) => `${method} ${token}`)).toEqual([
    'POST old',
    'PATCH old',
    'HEAD new',
    'PATCH new',
  ]);
});

it('A large file is given up after one new token that the server refuses too.', async () => {
  answer({ 'POST /auth/refresh': () => ({ body: { data: { token: 'new' } } }) });
  answers = { POST: [401, {}, refusal('JWT_EXPIRED')] };
  await expect(ofForm()).rejects.toMatchObject({ status: 401, code: 'JWT_EXPIRED' });
  expect(methods()).toEqual(['POST', 'POST']);
});

it.each([
  ['a person', ofForm],
  ['a sender', ofRequest],
])('An upload of %s does not begin anew because the server cannot say how much has arrived.', async (_, send) => {
  answers = { POST: created, HEAD: nothingArrived, PATCH: [503, {}, refusal('UNAVAILABLE')] };
  await expect(send()).rejects.toMatchObject({ status: 503 });
  expect(methods()).toEqual(['POST', 'PATCH']);
  for (const status of [429, 500, 503]) {
    answers.HEAD = [status, { 'Retry-After': '7' }];
    await expect(send()).rejects.toMatchObject({ status, retryAfter: 7 });
    expect(methods()).toEqual(['HEAD']);
  }
  answers = { POST: created, HEAD: [404], PATCH: stored };
  await send();
  expect(methods()).toEqual(['HEAD', 'POST', 'PATCH']);
});
