import { recipes, slotRecipes } from '@chakra-ui/react/theme';
import { expect, it } from 'vitest';
import { system } from './system';
import { undrawn } from './undrawn';

const sources = Object.values(
  import.meta.glob<string>('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }),
);
const library = new Map(
  Object.entries(
    import.meta.glob<string>('../../../node_modules/@chakra-ui/react/dist/esm/components/**/*.js', {
      query: '?raw',
      import: 'default',
      eager: true,
    }),
  ).map(([path, text]) => [path.slice(path.indexOf('/components/')), text]),
);

/** The names that the app imports from Chakra. */
const used = new Set(
  sources
    .flatMap((text) => [...text.matchAll(/import \{([^}]*)\} from '@chakra-ui\/react';/g)])
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim().split(' as ')[0] ?? '')),
);

const pascal = (folder: string) => folder.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** True when the file belongs to a component of the app: its folder has the name, or the file exports the name. */
function provides(path: string, text: string): boolean {
  const folder = path.split('/')[2] ?? '';
  const exported = /export \{([^}]*)\};/.exec(text)?.[1]?.split(',') ?? [];
  return used.has(pascal(folder)) || exported.some((name) => used.has(name.trim()));
}

/** Returns the names of the recipes that a file uses, with those of the files that it imports. */
function recipesOf(path: string, seen: Set<string>): string[] {
  const text = library.get(path);
  if (text === undefined || seen.has(path)) return [];
  seen.add(path);
  const own = [...text.matchAll(/Recipe\w*\(\{\s*key: "(\w+)"/g)].map(([, key = '']) => key);
  const others = [...text.matchAll(/from '(\.[^']*)'/g)].map(([, to = '']) => new URL(to, `file://${path}`).pathname);
  return [...own, ...others.flatMap((other) => recipesOf(other, seen))];
}

it('The theme has the recipe of every Chakra component that the app uses.', () => {
  const seen = new Set<string>();
  const wanted = [...library].filter(([path, text]) => provides(path, text)).flatMap(([path]) => recipesOf(path, seen));
  const known = wanted.filter((key) => key in recipes || key in slotRecipes);
  expect(known).toEqual(expect.arrayContaining(['button', 'dialog', 'checkmark', 'inputAddon', 'toast']));
  expect(known.filter((key) => !system.isRecipe(key) && !system.isSlotRecipe(key))).toEqual([]);
});

it('The app uses no icon weight that the build leaves out.', () => {
  const pattern = new RegExp(`weight=[^>]*['"](${undrawn.join('|')})['"]`);
  expect(pattern.test('<Icon weight="thin" />')).toBe(true);
  expect(sources.filter((text) => pattern.test(text) && !text.includes('no icon weight that the build'))).toEqual([]);
});
