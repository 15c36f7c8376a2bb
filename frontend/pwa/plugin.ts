import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { places } from '../src/notifications/places';
import { words } from '../src/pwa/words';

/** Every page may need the toasts at the moment at which the connection breaks. */
const spare = /\/lib\/Toasts\.tsx$/;

/** Files outside the bundle that the first page needs. */
const fixed = ['/index.html', '/theme.js', '/mark.svg', '/app.webmanifest'];

/**
 * Writes `/sw.js`: the worker with the list of the first page's files, the words and addresses of notifications, and a
 * version, which is a hash of all these. Screens, fonts and languages are cached when they are first used.
 */
export function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    generateBundle(_, bundle) {
      const first = new Set<string>();
      const add = (file: string) => {
        const chunk = bundle[file];
        if (chunk?.type !== 'chunk' || first.has(`/${file}`)) return;
        first.add(`/${file}`);
        chunk.imports.forEach(add);
      };
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        if (chunk.isEntry || spare.test(chunk.facadeModuleId ?? '')) add(chunk.fileName);
      }
      for (const file of Object.keys(bundle)) if (/^assets\/index-.*\.css$/.test(file)) first.add(`/${file}`);
      const source = readFileSync(new URL('worker.js', import.meta.url), 'utf8');
      const tables = { words, places };
      const version = createHash('sha256')
        .update(source)
        .update(JSON.stringify(tables))
        .update(Object.keys(bundle).sort().join());
      version.update(readFileSync(new URL('../index.html', import.meta.url)));
      for (const file of fixed.slice(1)) version.update(readFileSync(new URL(`../public${file}`, import.meta.url)));
      this.emitFile({
        type: 'asset',
        fileName: 'sw.js',
        source: source
          .replace('self.__FILES__', JSON.stringify([...fixed, ...[...first].sort()]))
          .replace('self.__TABLES__', () => JSON.stringify(tables))
          .replace('self.__VERSION__', JSON.stringify(version.digest('hex').slice(0, 12))),
      });
    },
  };
}
