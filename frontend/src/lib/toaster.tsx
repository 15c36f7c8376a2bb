import { limits } from '@lightbox/contract/limits.js';
import { atom, useAtomValue } from 'jotai';
import type { ComponentType } from 'react';
import { store } from './store';

export interface ToastOptions {
  description?: string;
  /** The one act a toast may offer. */
  action?: { label: string; onClick: () => void };
  /** Stays until it is closed, as errors do. */
  lasting?: boolean;
}

type Kind = 'success' | 'error' | 'info';

interface Toast extends Omit<ToastOptions, 'lasting'> {
  type: Kind;
  title: string;
  closable: boolean;
  duration: number;
}

/** What draws toasts: `Toasts.tsx`, in a chunk of its own, which the signed-in frame brings along. */
interface Toasts {
  View: ComponentType;
  create: (toast: Toast) => void;
  dismiss: (id?: string) => void;
}

const toastsAtom = atom<Toasts>();

/** Called once, by `Toasts.tsx`. */
export const present = (toasts: Toasts) => store.set(toastsAtom, toasts);

/** Before anybody has signed in they come with the first toast; if they cannot, the browser's own box says it. */
async function first(toast: Toast) {
  try {
    await import('./Toasts');
    store.get(toastsAtom)?.create(toast);
  } catch {
    window.alert([toast.title, toast.description].filter(Boolean).join('\n'));
  }
}

const show =
  (type: Kind) =>
  (title: string, { lasting = type === 'error', ...options }: ToastOptions = {}) => {
    const duration = lasting ? Number.POSITIVE_INFINITY : limits.toastMs;
    const toast = { type, title, closable: true, duration, ...options };
    const toasts = store.get(toastsAtom);
    if (toasts) toasts.create(toast);
    else void first(toast);
  };

export const toast = {
  success: show('success'),
  error: show('error'),
  info: show('info'),
  dismiss: (id?: string) => store.get(toastsAtom)?.dismiss(id),
};

export function Toaster() {
  const toasts = useAtomValue(toastsAtom);
  return toasts ? <toasts.View /> : null;
}
