import type { SessionUser, SignInMethod } from '@lightbox/contract/auth/calls.js';
import { sessionUserOf } from '@lightbox/contract/auth/session.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Permission, type Role, roleMay } from '@lightbox/contract/permissions.js';
import { atom, useAtomValue } from 'jotai';
import { atomWithStorage, createJSONStorage } from 'jotai/utils';
import { startActivity } from '../lib/activity';
import { connectSession } from '../lib/http';
import { forgetPrivate } from '../lib/private';
import { store } from '../lib/store';
import { tabs } from '../lib/tabs';
import { askProof, dropProof } from './proof';

export interface Session {
  token: string;
  user: SessionUser | null;
}

const empty: Session = { token: '', user: null };

const key = 'root';
/** Of what is stored, the fields of a session and nothing else: an older version kept the whole profile. */
const only = (stored: Session | null): Session =>
  stored?.token && stored.user ? { token: stored.token, user: sessionUserOf(stored.user) } : empty;

const json = createJSONStorage<Session>(() => localStorage);
const storage: typeof json = {
  ...json,
  getItem: (name, initial) => only(json.getItem(name, initial)),
  subscribe: (name, told, initial) => json.subscribe?.(name, (stored) => told(only(stored)), initial) ?? (() => {}),
};
const readStorage = () => storage.getItem(key, empty);
if (readStorage().token) storage.setItem(key, readStorage());

/** The token and the signed-in person, in local storage under the key the specification names. */
const rootAtom = atomWithStorage<Session>(key, empty, storage, { getOnInit: true });

export const sessionAtom = atom((get) => get(rootAtom));
export const userAtom = atom((get) => get(rootAtom).user);
export const roleAtom = atom((get) => get(rootAtom).user?.role.name);

/** The signed-in person as the contract's rules see them. Nobody signed in counts as a patient without an id. */
const viewerAtom = atom((get): { id: string; role: Role } => {
  const { user } = get(rootAtom);
  return { id: user?.id ?? '', role: user?.role.name ?? 'patient' };
});
export const useViewer = () => useAtomValue(viewerAtom);
/** The same, outside of a component. */
export const viewerNow = () => store.get(viewerAtom);

/** Whether this person's role may do this at all; what may be done to one object is its feature's policy. */
export function useMay(permission: Permission): boolean {
  const role = useAtomValue(roleAtom);
  return role !== undefined && roleMay(role, permission);
}

export const session = () => store.get(rootAtom);

/** Sets the user, and the token if one is given. */
export function startSession(user: SessionUser, token = session().token) {
  startActivity();
  store.set(rootAtom, { token, user: sessionUserOf(user) });
}

/** A name may have changed with the profile. */
export function updateSessionUser(profile: SessionUser) {
  const { token, user } = session();
  if (user) store.set(rootAtom, { token, user: sessionUserOf(profile) });
}

const endReasons = [
  'logout',
  'idle',
  'expired',
  'deactivated',
  'deleted',
  'passwordReset',
  'reuse',
  'roleChanged',
  'signedOut',
  'signInChanged',
  'notMe',
] as const;
export type EndReason = (typeof endReasons)[number];

/** Why there is no session now; signing out on purpose is not followed by a return to the same page. */
export const endedAtom = atom<EndReason | undefined>(undefined);

const end = (reason: EndReason) => {
  // Several signs may tell of one end; the first one that knows the reason is right.
  if ((store.get(endedAtom) ?? 'expired') === 'expired') store.set(endedAtom, reason);
  store.set(rootAtom, empty);
};

/** The other tabs see in storage that the session ended; this tells them why, before that. */
const tellTabs = tabs<EndReason>('ended', end);

const totpDue = atom(false);
/** The server lets this person do nothing until they have an authenticator app or a passkey. */
export const totpDueAtom = atom((get) => get(totpDue));
export const setTotpDue = (due: boolean) => store.set(totpDue, due);

export function endSession(reason: EndReason = 'expired') {
  if (session().token) tellTabs(reason);
  end(reason);
}

/** As the server names its reasons; one that is new to this client is an end like any other. */
export const asEndReason = (said: string | undefined): EndReason =>
  endReasons.find((reason) => reason === said) ?? 'expired';

/** Between password and code: the verification token and the e-mail it went to, for this tab only. */
export interface Verification {
  token: string;
  email: string;
  /** What comes next: the code of the mail or of the authenticator app, or a passkey. */
  method?: SignInMethod | undefined;
  /** When the last code went out, for the wait before another. */
  sentAt: number;
}

/**
 * The quiet minutes of the session before this one: /login tells them when nothing of it is left in the cache. Here and
 * not with the settings, whose calls the first page does not wait for.
 */
export const idleMinutesAtom = atom<number>(limits.sessionIdleMinutes);

export const verificationAtom = atomWithStorage<Verification | null>(
  'verification',
  null,
  createJSONStorage(() => sessionStorage),
  { getOnInit: true },
);

const returnKey = 'returnTo';
/** Whose place it is: the next person at this screen starts at their own first page. */
let lastId: string | undefined;
export const rememberPlace = (path: string) => sessionStorage.setItem(returnKey, `${lastId ?? ''} ${path}`);

/** The page that asked for a sign-in, once; only places of our own, and only for whoever was there. */
export function takePlace(userId: string): string | undefined {
  const [id, path] = sessionStorage.getItem(returnKey)?.split(' ') ?? [];
  sessionStorage.removeItem(returnKey);
  if (id && id !== userId) return undefined;
  return path?.startsWith('/') && !path.startsWith('//') ? path : undefined;
}

connectSession({
  token: () => session().token,
  reread() {
    const stored = readStorage();
    if (stored.token !== session().token) store.set(rootAtom, stored);
    return stored.token;
  },
  keep(token) {
    const { user } = session();
    // Signed out while the answer was on its way: stay signed out.
    if (user) store.set(rootAtom, { token, user });
  },
  end: () => endSession('expired'),
  lock: () => setTotpDue(true),
  prove: (ways) => askProof(Array.isArray(ways) ? ways : ['password']),
});

// Mounted for the life of the page, so that the other tabs' storage events arrive, and what belongs to one person is
// gone before the next one, or nobody, is on the screen.
let whose = session().user?.id;
store.sub(rootAtom, () => {
  const id = session().user?.id;
  if (id === whose) return;
  if (whose) {
    lastId = whose;
    forgetPrivate();
    setTotpDue(false);
    dropProof();
    if (!id) sessionStorage.clear();
  }
  if (id) store.set(endedAtom, undefined);
  whose = id;
});
