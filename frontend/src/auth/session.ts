import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { atom, useAtomValue } from 'jotai';
import { atomWithStorage, createJSONStorage } from 'jotai/utils';
import { connectSession } from '../lib/http';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';

export type SessionUser = User;

export interface Session {
  token: string;
  user: SessionUser | null;
}

const empty: Session = { token: '', user: null };

/** The signed-in person: the only thing kept in local storage, under the key the specification names. */
const rootAtom = atomWithStorage<Session>('root', empty, undefined, { getOnInit: true });

export const sessionAtom = atom((get) => get(rootAtom));
export const userAtom = atom((get) => get(rootAtom).user);
export const roleAtom = atom((get) => get(rootAtom).user?.role.name);

/** Whether this person's role may do this at all; what may be done to one object is its feature's policy. */
export function useMay(permission: Permission): boolean {
  const role = useAtomValue(roleAtom);
  return role !== undefined && roleMay(role, permission);
}

export const session = () => store.get(rootAtom);

/** Sets the user, and the token if one is given. */
export const startSession = (user: SessionUser, token = session().token) => store.set(rootAtom, { token, user });

/** Merges fields into the user (an edited profile). */
export function updateSessionUser(fields: Partial<SessionUser>) {
  const { token, user } = session();
  if (user) store.set(rootAtom, { token, user: { ...user, ...fields } });
}

/** Why there is no session now; signing out on purpose is not followed by a return to the same page. */
export const endedAtom = atom<'logout' | 'expired' | undefined>(undefined);

export function endSession(reason: 'logout' | 'expired' = 'expired') {
  store.set(endedAtom, reason);
  store.set(rootAtom, empty);
}

/** Between password and code: the verification token and the e-mail it went to, for this tab only. */
export interface Verification {
  token: string;
  email: string;
  /** When the last code went out, for the wait before another. */
  sentAt: number;
}

export const verificationAtom = atomWithStorage<Verification | null>(
  'verification',
  null,
  createJSONStorage(() => sessionStorage),
  { getOnInit: true },
);

const returnKey = 'returnTo';
export const rememberPlace = (path: string) => sessionStorage.setItem(returnKey, path);

/** The page that asked for a sign-in, once; only places of our own. */
export function takePlace(): string | undefined {
  const path = sessionStorage.getItem(returnKey) ?? undefined;
  sessionStorage.removeItem(returnKey);
  return path?.startsWith('/') && !path.startsWith('//') ? path : undefined;
}

function readStorage(): Session {
  try {
    return (JSON.parse(localStorage.getItem('root') ?? 'null') as Session | null) ?? empty;
  } catch {
    return empty;
  }
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
});

// Mounted for the life of the page, so that the other tabs' storage events arrive, and what belongs to one person is
// gone before the next one, or nobody, is on the screen.
let whose = session().user?.id;
store.sub(rootAtom, () => {
  const id = session().user?.id;
  if (id === whose) return;
  if (whose) {
    queryClient.clear();
    if (!id) sessionStorage.clear();
  }
  whose = id;
});
