import { atom } from 'jotai';
import type { ComponentType } from 'react';
import { store } from './store';

export interface ToastOptions {
  description?: string;
  /** The one act a toast may offer. */
  action?: { label: string; onClick: () => void };
  /** The toast stays until it is closed, as errors do. */
  lasting?: boolean;
}

export type Kind = 'success' | 'error' | 'info';

export interface Toast extends Omit<ToastOptions, 'lasting'> {
  type: Kind;
  title: string;
  closable: boolean;
  duration: number;
}

/** The drawing of toasts is in `Toasts.tsx`, a chunk of its own that the signed-in frame brings along. */
interface Toasts {
  View: ComponentType;
  create: (toast: Toast) => void;
  dismiss: (id?: string) => void;
}

export const toastsAtom = atom<Toasts>();

/** Called once, by `Toasts.tsx`. */
export const present = (toasts: Toasts) => store.set(toastsAtom, toasts);
