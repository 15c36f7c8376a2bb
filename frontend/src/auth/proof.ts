import type { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { BodyInput } from '@lightbox/contract/call.js';
import { atom } from 'jotai';
import { store } from '../lib/store';

/** How somebody can prove that it is still them. */
export type Way = keyof BodyInput<typeof securityCalls.stepUp>;

interface Asked {
  ways: Way[];
  answer: (proven: boolean) => void;
}

const asked = atom<Asked | undefined>(undefined);
/** Set while the dialog is to be shown. */
export const askedAtom = atom((get) => get(asked));

let asking: Promise<boolean> | undefined;

/** Asks in the one dialog; calls that are refused together wait for the same answer. */
export function askProof(ways: Way[]): Promise<boolean> {
  asking ??= new Promise<boolean>((answer) => store.set(asked, { ways, answer })).finally(() => {
    asking = undefined;
    store.set(asked, undefined);
  });
  return asking;
}

/** For whoever leaves meanwhile. */
export const dropProof = () => store.get(asked)?.answer(false);
