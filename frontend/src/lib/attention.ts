import { useSyncExternalStore } from 'react';

/** True when this tab is in the foreground: visible and focused. */
export const attentive = () => document.visibilityState === 'visible' && document.hasFocus();

export function watchAttention(changed: () => void): () => void {
  window.addEventListener('focus', changed);
  window.addEventListener('blur', changed);
  document.addEventListener('visibilitychange', changed);
  return () => {
    window.removeEventListener('focus', changed);
    window.removeEventListener('blur', changed);
    document.removeEventListener('visibilitychange', changed);
  };
}

export const useAttentive = () => useSyncExternalStore(watchAttention, attentive);
