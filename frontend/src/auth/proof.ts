import type { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { BodyInput } from '@lightbox/contract/call.js';
import { atom } from 'jotai';
import { store } from '../lib/store';

/** A way to give the step-up proof. */
export type Way = keyof BodyInput<typeof securityCalls.stepUp> | 'signOn';

interface Asked {
  ways: Way[];
  answer: (proven: boolean) => void;
}

const asked = atom<Asked | undefined>(undefined);
/** Set while the step-up dialog must be shown. */
export const askedAtom = atom((get) => get(asked));

let asking: Promise<boolean> | undefined;

/** Asks for the step-up proof in a dialog. Calls that are refused at the same time share the dialog and its result. */
export function askProof(ways: Way[]): Promise<boolean> {
  asking ??= new Promise<boolean>((answer) => store.set(asked, { ways, answer })).finally(() => {
    asking = undefined;
    store.set(asked, undefined);
  });
  return asking;
}

/** Cancels an open step-up dialog at the end of the session. */
export const dropProof = () => store.get(asked)?.answer(false);
