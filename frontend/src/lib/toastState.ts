import { atom } from 'jotai';
import type { ComponentType } from 'react';
import { store } from './store';

export interface ToastOptions {
  /** A toast replaces the one with the same id. */
  id?: string;
  description?: string;
  /** The button of the toast. */
  action?: { label: string; onClick: () => void };
  /** True: the toast stays until the person closes it. Default for errors. */
  lasting?: boolean;
  /** Milliseconds; for a toast that offers to undo something for a while. */
  duration?: number;
}

export type Kind = 'success' | 'error' | 'info';

export interface Toast extends Omit<ToastOptions, 'lasting' | 'duration'> {
  type: Kind;
  title: string;
  closable: boolean;
  duration: number;
}

/**
 * `Toasts.tsx` draws the toasts. It is a JavaScript chunk of its own, which the frame of the signed-in screens loads.
 */
interface Toasts {
  View: ComponentType;
  create: (toast: Toast) => void;
  dismiss: (id?: string) => void;
}

export const toastsAtom = atom<Toasts>();

/** Registers the drawing of toasts; `Toasts.tsx` calls it once. */
export const present = (toasts: Toasts) => store.set(toastsAtom, toasts);
