/** Unacknowledged messages and drafts, stored per account in this tab until sign-out. */

import type { Message } from '@lightbox/contract/messages/calls.js';
import { messageFault } from '@lightbox/contract/messages/content.js';
import type { Quote } from '@lightbox/contract/messages/quote.js';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import { atom } from 'jotai';
import { session, userAtom } from '../auth/session';
import { said } from '../i18n';
import { socketAtom } from '../lib/connection';
import { ApiError } from '../lib/http';
import { privateKey } from '../lib/private';
import { emit, mayTryAgain } from '../lib/socket';
import { store } from '../lib/store';
import { uuid } from '../lib/uuid';
import { offerDevice } from '../push/offer';
import { type RecordedVoice, sendVoice } from './voice/recorded';

export interface Outgoing {
  /** Created once and sent with every retry, so that the server stores the message once. */
  clientId: string;
  recipientId: string;
  content: string;
  /** The attached images, by id. */
  images?: string[];
  /** The message that this one answers. */
  replyTo?: Quote;
  /** The recording of a voice message. */
  voice?: RecordedVoice;
  view?: PinnedView;
  createAt: string;
  state: 'sending' | 'failed';
  /** The server's refusal, if a retry cannot succeed. */
  refused?: { code: string; message: string };
}

interface Kept<T> {
  owner: string;
  value: T;
}

/** Stores a value per account: it survives a reload and is deleted at sign-out. */
function kept<T>(name: string, empty: T) {
  const load = (owner: string): T => {
    try {
      return (JSON.parse(sessionStorage.getItem(privateKey(name, owner)) ?? 'null') as T | null) ?? empty;
    } catch {
      return empty;
    }
  };
  const base = atom<Kept<T>>({ owner: '', value: empty });
  const value = atom((get) => {
    const owner = get(userAtom)?.id;
    const { owner: whose, value } = get(base);
    if (!owner) return empty;
    return whose === owner ? value : load(owner);
  });
  const change = (to: (now: T) => T) => {
    const owner = session().user?.id;
    if (!owner) return;
    const next = to(store.get(value));
    store.set(base, { owner, value: next });
    try {
      sessionStorage.setItem(privateKey(name, owner), JSON.stringify(next));
    } catch {
      // The storage is full or forbidden: the value stays in memory until the tab closes.
    }
  };
  // Clear the memory at sign-out: the next person must not see the texts.
  store.sub(userAtom, () => {
    const { owner } = store.get(base);
    if (owner && owner !== session().user?.id) store.set(base, { owner: '', value: empty });
  });
  return { value, change };
}

const outbox = kept<Outgoing[]>('outbox', []);
export const outboxAtom = outbox.value;
const items = () => store.get(outboxAtom);
const patch = (clientId: string, change: Partial<Outgoing>) =>
  outbox.change((now) => now.map((item) => (item.clientId === clientId ? { ...item, ...change } : item)));

const drafts = kept<Record<string, string>>('drafts', {});
export const draftsAtom = drafts.value;
export const keepDraft = (userId: string, text: string) =>
  drafts.change(({ [userId]: _, ...others }) => (text ? { ...others, [userId]: text } : others));

const attached = kept<Record<string, string[]>>('attached', {});
/** The images that are chosen for the next message of a chat, by id. */
export const attachedAtom = attached.value;
export const keepAttached = (userId: string, ids: string[]) =>
  attached.change(({ [userId]: _, ...others }) => (ids.length > 0 ? { ...others, [userId]: ids } : others));

const answered = kept<Record<string, Quote>>('answered', {});
/** The message of each chat that the next one answers. */
export const answeredAtom = answered.value;
export const keepAnswered = (userId: string, quote?: Quote) =>
  answered.change(({ [userId]: _, ...others }) => (quote ? { ...others, [userId]: quote } : others));
const pinned = kept<Record<string, PinnedView>>('pinned', {});
/** The place that the next message of a chat pins. */
export const pinnedAtom = pinned.value;
export const keepPinned = (userId: string, view?: PinnedView) =>
  pinned.change(({ [userId]: _, ...others }) => (view ? { ...others, [userId]: view } : others));

/** Without an acknowledgement after this time, the bubble shows the failure. The retries continue. */
const ACK_TIMEOUT_MS = 10_000;
/** A recording takes a while on a slow line. */
const VOICE_TIMEOUT_MS = 60_000;
const backoff = [2_000, 5_000, 15_000, 30_000, 60_000];

type Accept = (message: Message) => void;
let accept: Accept = () => {};
/** Registers the function that gets every acknowledged message. */
export const onAccepted = (listener: Accept) => {
  accept = listener;
};

const busy = new Set<string>();
const tries = new Map<string, number>();

function watch({ clientId, voice }: Outgoing) {
  setTimeout(
    () => {
      const item = items().find((one) => one.clientId === clientId);
      if (item?.state === 'sending') patch(clientId, { state: 'failed' });
    },
    voice ? VOICE_TIMEOUT_MS : ACK_TIMEOUT_MS,
  );
}

function transmit({ recipientId, content, images, view, replyTo, voice, clientId }: Outgoing): Promise<Message> {
  const answers = replyTo?.id;
  if (voice) return sendVoice(voice, { recipientId, clientId, ...(answers && { replyTo: answers }) });
  return emit<'message:send', Message>('message:send', {
    recipientId,
    content,
    images,
    view,
    replyTo: answers,
    clientId,
  });
}

function later(recipientId: string) {
  const count = tries.get(recipientId) ?? 0;
  tries.set(recipientId, count + 1);
  setTimeout(() => void flush(recipientId), backoff[Math.min(count, backoff.length - 1)]);
}

/** Sends the waiting messages to one person one after the other, so that they arrive in the order of writing. */
async function flush(recipientId: string): Promise<void> {
  const owner = session().user?.id;
  const line = `${owner} ${recipientId}`;
  if (!owner || busy.has(line) || store.get(socketAtom) !== 'on') return;
  busy.add(line);
  let trying: string | undefined;
  try {
    while (session().user?.id === owner) {
      const next = items().find((item) => item.recipientId === recipientId && !item.refused);
      if (!next) return;
      const { clientId } = next;
      trying = clientId;
      const message = await transmit(next);
      tries.delete(recipientId);
      if (session().user?.id !== owner) return;
      accept(message);
      settle(clientId);
    }
  } catch (error) {
    const refused =
      error instanceof ApiError && !mayTryAgain(error) ? { code: error.code, message: error.message } : undefined;
    if (session().user?.id !== owner) return;
    if (refused && trying) {
      patch(trying, { state: 'failed', refused });
      // Continue with the messages behind the refused one.
      queueMicrotask(() => void flush(recipientId));
    } else if (store.get(socketAtom) === 'on') later(recipientId);
    // After a disconnect, the reconnect calls `flushAll`.
  } finally {
    busy.delete(line);
  }
}

/** Removes a message that the server has stored: the chat itself contains it now. */
export function settle(clientId: string) {
  if (items().some((item) => item.clientId === clientId))
    outbox.change((now) => now.filter((item) => item.clientId !== clientId));
}

/** Draws the bubble at once and sends the message. Returns the contract's sentence if the message is invalid. */
export function post(
  recipientId: string,
  text: string,
  images: readonly string[] = [],
  view?: PinnedView,
): string | undefined {
  const content = text.trim();
  if (!content && images.length === 0 && !view) return undefined;
  const chosen = [...new Set(images)];
  const fault = messageFault({ content, images: chosen, view });
  if (fault) return said(fault);
  enter(recipientId, { content, ...(chosen.length > 0 ? { images: chosen } : {}), ...(view ? { view } : {}) });
  return undefined;
}

/** Draws the bubble of a recording at once and sends it. */
export const postVoice = (recipientId: string, voice: RecordedVoice) => enter(recipientId, { content: '', voice });

/** Puts a message into the outbox. It answers the message that was chosen in its chat, if there is one. */
function enter(recipientId: string, parts: Pick<Outgoing, 'content' | 'images' | 'view' | 'voice'>) {
  const replyTo = store.get(answeredAtom)[recipientId];
  const item: Outgoing = {
    clientId: uuid(),
    recipientId,
    ...parts,
    ...(replyTo ? { replyTo } : {}),
    createAt: new Date().toISOString(),
    state: 'sending',
  };
  keepAnswered(recipientId);
  outbox.change((now) => [...now, item]);
  watch(item);
  void flush(recipientId);
  void offerDevice();
}

export function retry(clientId: string) {
  const item = items().find((one) => one.clientId === clientId);
  if (!item) return;
  outbox.change((now) =>
    now.map((one) => {
      if (one.clientId !== clientId) return one;
      const { refused: _, ...again } = one;
      return { ...again, state: 'sending' };
    }),
  );
  watch(item);
  void flush(item.recipientId);
}

export const discard = settle;

/** Sends all waiting messages, after a reload or a reconnect. */
export function flushAll() {
  const waiting = items().filter((item) => !item.refused);
  if (!waiting.length) return;
  const ids = new Set(waiting.map(({ clientId }) => clientId));
  outbox.change((now) => now.map((item) => (ids.has(item.clientId) ? { ...item, state: 'sending' } : item)));
  for (const item of waiting) watch(item);
  for (const recipientId of new Set(waiting.map((item) => item.recipientId))) {
    tries.delete(recipientId);
    void flush(recipientId);
  }
}
