import { limits } from '@lightbox/contract/limits.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ana, ben, cleo, id } from './testing';

const emit = vi.fn();

/** Loads the modules again, as after a reload of the page: memory is empty, storage is kept. */
async function load() {
  vi.resetModules();
  vi.doMock('../lib/socket', async (original) => ({ ...(await original<typeof import('../lib/socket')>()), emit }));
  const { store } = await import('../lib/store');
  const { socketAtom } = await import('../lib/connection');
  const { endSession } = await import('../auth/session');
  const { signIn } = await import('./testing');
  const outbox = await import('./outbox');
  return {
    ...outbox,
    signIn,
    endSession,
    items: () => store.get(outbox.outboxAtom),
    drafts: () => store.get(outbox.draftsAtom),
    connect: (on: boolean) => store.set(socketAtom, on ? 'on' : 'connecting'),
  };
}

type App = Awaited<ReturnType<typeof load>>;
let app: App;
const sent = () => emit.mock.calls.map(([, payload]) => payload as { clientId: string; content: string });
const acknowledge = async (_: string, payload: { clientId: string; recipientId: string; content: string }) => ({
  id: id('e'),
  seq: 1,
  senderId: ana,
  createAt: new Date().toISOString(),
  ...payload,
});
const rest = () => vi.advanceTimersByTimeAsync(0);

beforeEach(async () => {
  vi.useFakeTimers();
  emit.mockReset();
  emit.mockImplementation(acknowledge);
  app = await load();
  app.signIn();
  app.connect(true);
});
afterEach(() => vi.useRealTimers());

describe('sending', () => {
  it('An answer names the message that was chosen in its chat, once, and also after a reload.', async () => {
    const quote = { id: id('f'), senderId: ben, content: 'How is it?' };
    app.keepAnswered(ben, quote);
    app.keepAnswered(cleo, { ...quote, id: id('9') });
    app = await load();
    app.signIn();
    app.connect(true);
    app.post(ben, 'Better');
    expect(app.items()).toMatchObject([{ content: 'Better', replyTo: quote }]);
    app.post(ben, 'Thank you');
    await rest();
    expect(sent()).toMatchObject([
      { content: 'Better', replyTo: quote.id },
      { content: 'Thank you', replyTo: undefined },
    ]);
  });

  it('A recording waits without a connection, also over a reload, and is sent in its turn.', async () => {
    const { bytesOf, recorded } = await import('./voice/recorded');
    const voice = await recorded(new Blob([new Uint8Array([1, 200, 255])]), 'audio/webm', 2);
    app.connect(false);
    app.postVoice(ben, voice);
    app.post(ben, 'Did you hear it?');
    app = await load();
    app.signIn();
    const forms: FormData[] = [];
    const stored = { id: id('e'), seq: 1, senderId: ana, recipientId: ben, content: '', createAt: '' };
    vi.stubGlobal('fetch', async (_: string, { body }: { body: FormData }) => {
      expect(emit, 'the text waits for the recording').not.toHaveBeenCalled();
      forms.push(body);
      return new Response(JSON.stringify({ data: stored }), { status: 201 });
    });
    app.connect(true);
    app.flushAll();
    await vi.waitFor(() => expect(app.items()).toEqual([]), { timeout: 120_000 });
    expect(forms).toHaveLength(1);
    expect(forms[0]?.get('recipientId')).toBe(ben);
    expect([...new Uint8Array(await bytesOf(voice).arrayBuffer())]).toEqual([1, 200, 255]);
    expect(forms[0]?.get('file')).toMatchObject({ size: 3 });
    expect(sent()).toMatchObject([{ content: 'Did you hear it?' }]);
    vi.unstubAllGlobals();
  });

  it('A recording that met the error page of a proxy is sent again.', async () => {
    const { recorded } = await import('./voice/recorded');
    const voice = await recorded(new Blob([new Uint8Array([1])]), 'audio/webm', 2);
    const stored = { id: id('e'), seq: 1, senderId: ana, recipientId: ben, content: '', createAt: '' };
    const answers = [
      new Response('<html>Bad Gateway</html>', { status: 502 }),
      new Response(JSON.stringify({ data: stored }), { status: 201 }),
    ];
    const clientIds: unknown[] = [];
    vi.stubGlobal('fetch', async (_: string, { body }: { body: FormData }) => {
      clientIds.push(body.get('clientId'));
      return answers[clientIds.length - 1];
    });
    app.postVoice(ben, voice);
    await vi.advanceTimersByTimeAsync(2100);
    await vi.waitFor(() => expect(clientIds).toHaveLength(2), { timeout: 120_000 });
    expect(new Set(clientIds).size).toBe(1);
    await vi.waitFor(() => expect(app.items()).toEqual([]), { timeout: 120_000 });
    vi.unstubAllGlobals();
  });

  it('A new message is in the outbox until the server has stored it.', async () => {
    const accepted = vi.fn();
    app.onAccepted(accepted);
    app.post(ben, '  Hello  ');
    expect(app.items()).toMatchObject([{ content: 'Hello', state: 'sending', recipientId: ben }]);
    await rest();
    expect(app.items()).toEqual([]);
    expect(accepted).toHaveBeenCalledOnce();
  });

  it('Blank text is ignored, and too long text returns the sentence of the contract.', () => {
    expect(app.post(ben, ' \n ')).toBeUndefined();
    expect(app.post(ben, 'x'.repeat(limits.messageLength + 1))).toContain(String(limits.messageLength));
    expect(app.items()).toEqual([]);
  });

  it('Messages are sent in the order in which they were written.', async () => {
    for (const text of ['one', 'two', 'three']) app.post(ben, text);
    await rest();
    expect(sent().map(({ content }) => content)).toEqual(['one', 'two', 'three']);
  });

  it('A message without an acknowledgement fails, and a retry sends the same clientId.', async () => {
    emit.mockImplementationOnce(() => new Promise((_, no) => setTimeout(() => no(new Error('timed out')), 10_000)));
    app.post(ben, 'Hello');
    const clientId = app.items()[0]?.clientId ?? '';
    await vi.advanceTimersByTimeAsync(10_000);
    expect(app.items()[0]?.state).toBe('failed');
    app.retry(clientId);
    expect(app.items()[0]?.state).toBe('sending');
    await rest();
    expect(sent().map((payload) => payload.clientId)).toEqual([clientId, clientId]);
    expect(app.items()).toEqual([]);
  });

  it('A failed message is retried while the socket is connected.', async () => {
    emit.mockRejectedValueOnce(new Error('cut'));
    app.post(ben, 'Hello');
    await vi.advanceTimersByTimeAsync(2100);
    expect(new Set(sent().map(({ clientId }) => clientId)).size).toBe(1);
    expect(sent()).toHaveLength(2);
    expect(app.items()).toEqual([]);
  });

  it('A refused message is not repeated, and does not block the next one.', async () => {
    const { ApiError } = await import('../lib/http');
    emit.mockRejectedValueOnce(new ApiError(400, 'FORBIDDEN', 'You don’t have permission to do this.'));
    app.post(ben, 'one');
    app.post(ben, 'two');
    await rest();
    expect(app.items()).toMatchObject([{ content: 'one', state: 'failed', refused: { code: 'FORBIDDEN' } }]);
    app.flushAll();
    await rest();
    expect(sent().map(({ content }) => content)).toEqual(['one', 'two']);
    app.discard(app.items()[0]?.clientId ?? '');
    expect(app.items()).toEqual([]);
  });

  it('The event removes a message from the outbox when its acknowledgement is lost.', async () => {
    emit.mockImplementationOnce(() => new Promise(() => {}));
    app.post(ben, 'Hello');
    app.settle(app.items()[0]?.clientId ?? '');
    expect(app.items()).toEqual([]);
  });
});

describe('without a connection', () => {
  it('A message waits, survives a reload, and is sent with the same clientId after the reconnect.', async () => {
    app.connect(false);
    app.post(ben, 'Hello');
    const clientId = app.items()[0]?.clientId;
    expect(emit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(app.items()[0]?.state).toBe('failed');

    app = await load();
    expect(app.items()).toMatchObject([{ clientId, content: 'Hello' }]);
    app.connect(true);
    app.flushAll();
    await rest();
    expect(sent()).toMatchObject([{ clientId, content: 'Hello' }]);
    expect(app.items()).toEqual([]);
  });
});

describe('images', () => {
  it('A message may be images alone, and carries them with the same clientId through a reload.', async () => {
    app.connect(false);
    expect(
      app.post(
        ben,
        '',
        Array.from({ length: limits.messageImages + 1 }, (_, i) => id(`f${i}`)),
      ),
    ).toContain('10');
    app.post(ben, ' ', [id('9'), id('8')]);
    const [{ clientId } = { clientId: '' }] = app.items();
    app = await load();
    app.connect(true);
    app.flushAll();
    await rest();
    expect(sent()).toMatchObject([{ clientId, content: '', images: [id('9'), id('8')] }]);
    expect(app.items()).toEqual([]);
  });
});

describe('drafts', () => {
  it('A draft survives a reload, belongs to one chat and one account, and is deleted at sign-out.', async () => {
    app.connect(false);
    app.keepDraft(ben, 'Dear Ben');
    app.keepDraft(cleo, 'Dear Cleo');
    app.keepDraft(cleo, '');
    app.post(ben, 'Hello');

    app = await load();
    expect(app.drafts()).toEqual({ [ben]: 'Dear Ben' });
    app.endSession('logout');
    expect(sessionStorage).toHaveLength(0);
    expect(app.items()).toEqual([]);
    app.signIn(cleo);
    expect(app.drafts()).toEqual({});
    expect(app.items()).toEqual([]);
  });

  it.each([
    ['nobody', ''],
    ['another person', cleo],
  ])(
    'Texts of a person who signed out while this tab was not alive are deleted when it loads for %s.',
    async (_, next) => {
      app.connect(false);
      app.keepDraft(ben, 'Dear Ben');
      app.post(ben, 'Hello');
      expect(Object.keys(sessionStorage).filter((key) => key.includes(ana))).not.toEqual([]);
      const user = next && { ...JSON.parse(localStorage.getItem('root') ?? '').user, id: next };
      localStorage.setItem('root', JSON.stringify(user ? { token: 'token', user } : { token: '', user: null }));
      app = await load();
      expect(Object.keys(sessionStorage).filter((key) => key.includes(ana))).toEqual([]);
    },
  );
});
