import { useEffect, useState } from 'react';

/** Holds the theme at dark while the viewer is on screen, also for dialogs and toasts. */
export function useDark() {
  useEffect(() => {
    const { classList, style } = document.documentElement;
    const before = { light: classList.contains('light'), scheme: style.colorScheme };
    const darken = () => {
      if (!classList.contains('light') && classList.contains('dark')) return;
      classList.remove('light');
      classList.add('dark');
      style.colorScheme = 'dark';
    };
    darken();
    // The theme follows the system and other tabs: keep it dark meanwhile.
    let wanted = before.light;
    const watch = new MutationObserver(() => {
      if (classList.contains('light')) wanted = true;
      darken();
    });
    watch.observe(document.documentElement, { attributeFilter: ['class'] });
    return () => {
      watch.disconnect();
      if (!wanted) return;
      classList.remove('dark');
      classList.add('light');
      style.colorScheme = before.scheme;
    };
  }, []);
}

/** True while the page fills the screen. */
export function useFullScreen() {
  const [full, setFull] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', changed);
    return () => {
      document.removeEventListener('fullscreenchange', changed);
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
    };
  }, []);
  const toggle = () => {
    const done = document.fullscreenElement
      ? document.exitFullscreen()
      : document.documentElement.requestFullscreen?.();
    // A browser may refuse, as Safari on a phone does: the viewer fills the window anyway.
    void done?.catch(() => undefined);
  };
  return { full, toggle };
}
