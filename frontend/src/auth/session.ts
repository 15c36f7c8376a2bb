import type { SessionUser, SignInMethod } from '@lightbox/contract/auth/calls.js';
import { sessionUserOf } from '@lightbox/contract/auth/session.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Permission, type Role, roleMay } from '@lightbox/contract/permissions.js';
import { atom, useAtomValue } from 'jotai';
import { atomWithStorage, createJSONStorage } from 'jotai/utils';
import { startActivity } from '../lib/activity';
import { connectSession } from '../lib/http';
import { forgetOthers, forgetPrivate } from '../lib/private';
import { store } from '../lib/store';
import { tabs } from '../lib/tabs';
import { askProof, dropProof } from './proof';

export interface Session {
  token: string;
  user: SessionUser | null;
}

const empty: Session = { token: '', user: null };

const key = 'root';
/** Returns only the session fields of the stored value: an older version stored the whole profile. */
const only = (stored: Session | null): Session =>
  stored?.token && stored.user ? { token: stored.token, user: sessionUserOf(stored.user) } : empty;

const json = createJSONStorage<Session>(() => localStorage);
const storage: typeof json = {
  ...json,
  getItem: (name, initial) => only(json.getItem(name, initial)),
  subscribe: (name, onChange, initial) =>
    json.subscribe?.(name, (stored) => onChange(only(stored)), initial) ?? (() => {}),
};
const readStorage = () => storage.getItem(key, empty);
if (localStorage.getItem(key) !== null) storage.setItem(key, readStorage());

/** The token and the signed-in person, in local storage under the key that the specification gives. */
const rootAtom = atomWithStorage<Session>(key, empty, storage, { getOnInit: true });

export const sessionAtom = atom((get) => get(rootAtom));
export const userAtom = atom((get) => get(rootAtom).user);
export const roleAtom = atom((get) => get(rootAtom).user?.role.name);

/** The viewer for the contract's rules. Without a session it is a patient with an empty id. */
const viewerAtom = atom((get): { id: string; role: Role } => {
  const { user } = get(rootAtom);
  return { id: user?.id ?? '', role: user?.role.name ?? 'patient' };
});
export const useViewer = () => useAtomValue(viewerAtom);
/** The same for code outside of components. */
export const viewerNow = () => store.get(viewerAtom);

/** True when the person's role has the permission. The policy of a feature decides about a single object. */
export function useMay(permission: Permission): boolean {
  const role = useAtomValue(roleAtom);
  return role !== undefined && roleMay(role, permission);
}

export const session = () => store.get(rootAtom);

/** Stores the user, and the token if one is given. */
export function startSession(user: SessionUser, token = session().token) {
  startActivity();
  store.set(rootAtom, { token, user: sessionUserOf(user) });
}

/** Updates the stored user after a change of the profile, such as a new name. */
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
  'signOnEnded',
] as const;
export type EndReason = (typeof endReasons)[number];

/** The reason for the end of the last session. After `logout` the next sign-in does not return to the same page. */
export const endedAtom = atom<EndReason | undefined>(undefined);

const end = (reason: EndReason) => {
  // Several sources report one end (socket, 401, another tab). Keep the first specific reason.
  if ((store.get(endedAtom) ?? 'expired') === 'expired') store.set(endedAtom, reason);
  store.set(rootAtom, empty);
};

/** Sends the reason to the other tabs, before they see in storage that the session ended. */
const notifyTabs = tabs<{ token: string; reason: EndReason }>('ended', ({ token, reason }) => {
  // A tab that slept hears it late: somebody may have signed in since.
  if (['', token].includes(readStorage().token)) end(reason);
});

const totpDue = atom(false);
/** True while the server refuses all calls until the person has set up an authenticator app or a passkey. */
export const totpDueAtom = atom((get) => get(totpDue));
export const setTotpDue = (due: boolean) => store.set(totpDue, due);

export function endSession(reason: EndReason = 'expired') {
  const { token } = session();
  if (token) notifyTabs({ token, reason });
  end(reason);
}

/** Returns the server's reason, or 'expired' for a reason that this client does not know. */
export const asEndReason = (said: string | undefined): EndReason =>
  endReasons.find((reason) => reason === said) ?? 'expired';

/** The state between password and second step: the verification token and the e-mail address, for this tab only. */
export interface Verification {
  token: string;
  email: string;
  /** The second step: the code of the mail or of the authenticator app, or a passkey. */
  method?: SignInMethod | undefined;
  /** The sign-in began at a provider of single sign-on. */
  signOn?: true;
  /** The time at which the last code was sent, for the waiting time before the next one. */
  sentAt: number;
}

/**
 * The idle minutes of the last session, which /login shows after an idle sign-out, when the cache is empty. Here and
 * not beside the settings, because the first page does not load their calls.
 */
export const idleMinutesAtom = atom<number>(limits.sessionIdleMinutes);

export const verificationAtom = atomWithStorage<Verification | null>(
  'verification',
  null,
  createJSONStorage(() => sessionStorage),
  { getOnInit: true },
);

const returnKey = 'returnTo';
/** The id of the last person: the remembered path is for them only. Another person starts at their own first page. */
let lastId: string | undefined;
export const rememberPlace = (path: string) => sessionStorage.setItem(returnKey, `${lastId ?? ''} ${path}`);

/** Returns the remembered path and deletes it. Only paths of this app, and only for the person who was there. */
export function takePlace(userId: string): string | undefined {
  const [id, path] = sessionStorage.getItem(returnKey)?.split(' ') ?? [];
  sessionStorage.removeItem(returnKey);
  if (id && id !== userId) return undefined;
  return path?.startsWith('/') && !path.startsWith('//') ? path : undefined;
}

connectSession({
  token: () => session().token,
  person: () => session().user?.id ?? '',
  reread() {
    const stored = readStorage();
    if (stored.token !== session().token) store.set(rootAtom, stored);
    return stored.token;
  },
  keep(token) {
    const { user } = session();
    // After a sign-out during the refresh, do not store the new token.
    if (user) store.set(rootAtom, { token, user });
  },
  end: () => endSession('expired'),
  lock: () => setTotpDue(true),
  prove: (ways) => askProof(Array.isArray(ways) ? ways : ['password']),
});

// This subscription lasts as long as the page, so that storage events of other tabs arrive. When the person changes or
// signs out, all private data of the last person is deleted.
let currentId = session().user?.id;
// The person may have signed out in another tab while this one was not alive.
forgetOthers(currentId);
store.sub(rootAtom, () => {
  const id = session().user?.id;
  if (id === currentId) return;
  if (currentId) {
    lastId = currentId;
    forgetPrivate();
    setTotpDue(false);
    dropProof();
    if (!id) {
      store.set(verificationAtom, null);
      sessionStorage.clear();
    }
  }
  forgetOthers(id);
  if (id) store.set(endedAtom, undefined);
  currentId = id;
});
