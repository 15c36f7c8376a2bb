import type { Plugin } from 'vite';

const styles = /\s*<link rel="stylesheet"[^>]*>/g;

/**
 * Moves the style sheets to the end of the body. A style sheet in the head delays the first paint until it is loaded;
 * the frame that index.html paints first has its own styles.
 */
export function paintFirst(): Plugin {
  return {
    name: 'paint-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replace(styles, '').replace('</body>', `${(html.match(styles) ?? []).join('')}\n  </body>`),
    },
  };
}
