/** The tiny part of the viewer that every screen may import: it loads the rest before it is needed. */
let asked = false;

/** Loads the viewer's code in the background: when the gallery is idle, or when a person points at a card. */
export function preloadViewer(): void {
  if (asked) return;
  asked = true;
  const load = () => {
    void import('./engine').catch(() => {
      asked = false;
    });
  };
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: 3_000 });
  else setTimeout(load, 300);
}
