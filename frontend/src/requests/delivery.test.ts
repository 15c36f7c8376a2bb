import { expect, it, vi } from 'vitest';
import { answer } from '../lib/testing';
import { fromFile, type Source } from '../uploads/sources';
import { Delivery, type Progress } from './delivery';

const picture = fromFile(new File(['x'], 'a.jpg'));
const refusal = (status: number, error: string) => ({ status, body: { message: '', error, requestId: 'r' } });

/** Sends one file until the delivery ends. The waits end at once. Returns the states that the sender saw. */
async function deliver(source: Source = picture) {
  const told: Progress[] = [];
  const onChange = (progress: Progress) => {
    told.push(progress);
    setTimeout(() => window.dispatchEvent(new Event('online')));
  };
  await new Delivery('link.proof', 'old token', [{ source, caption: 'a' }], onChange).run();
  return told.map(({ state }) => state);
}

/** The library of an upload whose connection is lost, as it is to the browser when it cannot read the file. */
vi.mock('tus-js-client', () => {
  class DetailedError extends Error {
    originalResponse = null;
  }
  class Upload {
    constructor(
      _: unknown,
      readonly options: { onError: (error: Error) => void },
    ) {}
    start() {
      this.options.onError(new DetailedError());
    }
    abort = async () => {};
  }
  return { DetailedError, Upload };
});

it('A sender is told that the request was ended while the files were on their way.', async () => {
  answer({
    'GET /send/known': () => refusal(401, 'UNAUTHENTICATED'),
    'POST /send/open': () => ({ body: { data: { state: 'revoked' } } }),
  });
  expect((await deliver()).at(-1)).toBe('over');
});

it.each([
  [409, 'QUOTA_REACHED', 'the account of the provider is full'],
  [507, 'STORAGE_FULL', 'the server has no space left'],
])(
  'A sender is told that there is no room, and not that the connection is lost, when %s %s says that %s.',
  async (status, error) => {
    answer({ 'GET /send/known': () => refusal(status, error) });
    const states = await deliver();
    expect(states.at(-1)).toBe('full');
    expect(states).not.toContain('waiting');
  },
);

it('A sender is told that a file can no longer be read.', async () => {
  answer({});
  expect(
    (await deliver({ ...picture, open: () => Promise.reject(new DOMException('', 'NotFoundError')) })).at(-1),
  ).toBe('failed');
});

it('A file that changes on the disk while it is sent ends the delivery, and is not called a lost connection.', async () => {
  const changed = new File(['x'], 'a.jpg');
  answer({ 'GET /send/known': () => ({ body: { data: { known: false } } }) });
  vi.spyOn(changed, 'slice').mockReturnValue({
    arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')),
  } as never);
  const states = await deliver(fromFile(changed));
  expect(states.at(-1)).toBe('failed');
  expect(states).not.toContain('waiting');
});

it('A failure of the server itself is tried again some times, and then the sender decides.', async () => {
  const heard = answer({ 'GET /send/known': () => refusal(500, 'INTERNAL') });
  const states = await deliver();
  expect(states.at(-1)).toBe('refused');
  expect(states).not.toContain('waiting');
  expect(heard).toHaveLength(3);
});

it('Closing the page asks while the files are on their way, and not afterwards.', async () => {
  const asks = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const asked: boolean[] = [];
  answer({
    'GET /send/known': () => {
      asked.push(asks());
      return { body: { data: { known: true } } };
    },
    'POST /send/finish': () => ({ body: { data: {} } }),
  });
  expect((await deliver()).at(-1)).toBe('done');
  expect([asked, asks()]).toEqual([[true], false]);
});
