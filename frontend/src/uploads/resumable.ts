import { limits } from '@lightbox/contract/limits.js';
import { atom } from 'jotai';
import { sessionAtom } from '../auth/session';
import { holdPrivate } from '../lib/private';
import { store } from '../lib/store';

/**
 * The resumable uploads that this browser began and did not finish. A record has no file name and no caption, because
 * both may name a patient. It is deleted at sign-out, and never read by another person.
 */
export interface Unfinished {
  /** Identifies file and metadata: a hash. */
  fingerprint: string;
  /** SHA-256 of the file, by which the person's choice is recognised after a reload. */
  hash: string;
  /** The address of the upload at the server. */
  url: string;
  size: number;
  /** When it began, in ms. */
  at: number;
}

const key = 'uploads';
/** The server keeps an unfinished upload for this time. */
const keptMs = limits.resumableHours * 3_600_000;

interface Stored {
  owner: string;
  list: Unfinished[];
}

const ownerNow = () => store.get(sessionAtom).user?.id ?? '';

function read(): Unfinished[] {
  try {
    const { owner, list } = JSON.parse(localStorage.getItem(key) ?? '') as Stored;
    if (owner === ownerNow()) return list.filter(({ at }) => Date.now() - at < keptMs);
  } catch {
    // Nothing is stored, or the browser stores nothing.
  }
  return [];
}

function write(list: Unfinished[]) {
  try {
    if (list.length) localStorage.setItem(key, JSON.stringify({ owner: ownerNow(), list } satisfies Stored));
    else localStorage.removeItem(key);
  } catch {
    // The browser stores nothing: after a reload the upload starts again.
  }
}

/** The fingerprints of the uploads in the tray of this page. One that is paused there holds no lock. */
const ofThisPage = new Set<string>();

export const unfinished = read;
export const findUnfinished = (fingerprint: string) => read().find((one) => one.fingerprint === fingerprint);
export const keepUnfinished = (one: Unfinished) => {
  ofThisPage.add(one.fingerprint);
  write([...read().filter(({ fingerprint }) => fingerprint !== one.fingerprint), one]);
};
export const dropUnfinished = (fingerprint: string) => {
  ofThisPage.delete(fingerprint);
  write(read().filter((one) => one.fingerprint !== fingerprint));
};

/** The uploads that an earlier page began. They go on when the person chooses the file again. */
export const interruptedAtom = atom<Unfinished[]>([]);

/** Takes an interrupted upload over: from now on the tray of this page shows it. */
export function takeOver({ fingerprint }: Unfinished) {
  ofThisPage.add(fingerprint);
  store.set(interruptedAtom, (list) => list.filter((one) => one.fingerprint !== fingerprint));
}

/** Finds the uploads of earlier pages that no other open tab is sending: a tab holds a lock for each of its files. */
export async function findInterrupted() {
  const kept = read();
  if (!kept.length) return store.set(interruptedAtom, []);
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const sending = new Set(held.map(({ name }) => name));
  store.set(
    interruptedAtom,
    read().filter(({ fingerprint, hash }) => !ofThisPage.has(fingerprint) && !sending.has(lockOf(hash))),
  );
}

/** The name of the lock that a tab holds while it sends a file. */
export const lockOf = (hash: string) => `lightbox-upload-${hash}`;

function forget() {
  ofThisPage.clear();
  store.set(interruptedAtom, []);
  try {
    localStorage.removeItem(key);
  } catch {
    // The browser stores nothing.
  }
}

holdPrivate(forget);
// The session of another person ended while the browser was closed.
if (!read().length) forget();
