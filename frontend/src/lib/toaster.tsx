import { limits } from '@lightbox/contract/limits.js';
import { useAtomValue } from 'jotai';
import { holdPrivate } from './private';
import { store } from './store';
import { type Kind, type Toast, type ToastOptions, toastsAtom } from './toastState';

let people = 0;
holdPrivate(() => {
  people += 1;
});

/**
 * Loads the chunk that draws toasts, then shows the first one, unless its person has left meanwhile. If the chunk cannot be
 * loaded, `alert` shows the text.
 */
async function first(toast: Toast) {
  const person = people;
  try {
    await import('./Toasts');
    if (person === people) store.get(toastsAtom)?.create(toast);
  } catch {
    if (person === people) window.alert([toast.title, toast.description].filter(Boolean).join('\n'));
  }
}

const show =
  (type: Kind) =>
  (title: string, { lasting = type === 'error', duration: wanted = limits.toastMs, ...options }: ToastOptions = {}) => {
    const duration = lasting ? Number.POSITIVE_INFINITY : wanted;
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
