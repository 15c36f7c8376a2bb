import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { notificationKinds } from '@lightbox/contract/audit/actions.js';
import { knownSettings } from '@lightbox/contract/settings/known.js';
import { expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../frontend/src');
/** Read by address: the modules of the web app are not compiled for this one. */
const { further } = (await import(join(source, 'i18n/en/further.ts'))) as { further: Record<string, object> };
const named = (path: string) => ['.ts', '.tsx', '/index.ts', '/index.tsx'].map((end) => path + end).find(existsSync);

interface Module {
  statics: string[];
  dynamics: string[];
  /** The texts of `further` that it names. */
  uses: string[];
}

/** Names of other things that look like keys. */
const others = new Set<string>([...notificationKinds, ...Object.keys(knownSettings)]);

/** The last part of a key may have a plural, and permissions look like keys. */
const isText = (feature: string, key: string): boolean =>
  !others.has(`${feature}.${key}`) &&
  Object.keys(further[feature] ?? {}).some((name) => name.replace(/_\w+$/, '') === key);

const read = new Map<string, Module>();
function moduleAt(file: string): Module {
  const known = read.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const found = (pattern: RegExp) =>
    [...text.matchAll(pattern)].flatMap(([, to = '']) => named(join(dirname(file), to)) ?? []);
  const made = {
    statics: found(/^(?:import|export) (?!type )(?:[^;]*? from )?'(\.[^']+)';/gm),
    dynamics: found(/import\('(\.[^']+)'\)/g),
    uses: [...text.matchAll(/['"`](\w+)\.(\w+)/g)].flatMap(([, feature = '', key = '']) =>
      isText(feature, key) ? `${feature}.${key}` : [],
    ),
  };
  read.set(file, made);
  return made;
}

/** Returns the files that are loaded with one. */
function closureOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const one of moduleAt(file).statics) closureOf(one, found);
  return found;
}

it('Every screen and dialog that uses further texts loads them, and the first screens use none.', () => {
  const at = (path: string) => join(source, path);
  const texts = at('i18n/further.ts');
  const router = readFileSync(at('app/Router.tsx'), 'utf8');
  const awaited = new Set(
    [...router.matchAll(/furtherScreen\([\w.()]+, async \(\) => \(await import\('(\.[^']+)'\)\)/g)].map(([, to = '']) =>
      named(join(source, 'app', to)),
    ),
  );
  expect(awaited.size).toBeGreaterThan(10);
  const faults: string[] = [];
  // The gallery loads the engine ahead; only the viewer, which awaits the texts, calls it.
  const seen = new Set([`${at('viewer/engine/index.ts')} false`]);
  const visit = (entry: string, loaded: boolean) => {
    const there = closureOf(entry);
    const has = loaded || there.has(texts) || awaited.has(entry);
    const key = `${entry} ${has}`;
    if (seen.has(key)) return;
    seen.add(key);
    for (const file of there) {
      const { uses, dynamics } = moduleAt(file);
      if (!has && uses.length > 0) faults.push(`${relative(source, entry)}: ${relative(source, file)} uses ${uses}`);
      for (const one of dynamics) visit(one, has);
    }
  };
  visit(at('main.tsx'), false);
  expect(faults).toEqual([]);
});
