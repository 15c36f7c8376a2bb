import { recipes, slotRecipes } from '@chakra-ui/react/theme';
import { expect, it } from 'vitest';
import { drawn } from './drawn';
import { system } from './system';

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

/** The icons that a text gives to others as they are drawn with a weight: `Icon={BellIcon}`, `Icon: BellIcon`. */
const passed = (text: string) =>
  [...text.matchAll(/\bIcon(?:=\{|: )(?:\w+ \? (\w+)Icon : )?(\w+)Icon\b/g)].flatMap(([, ...names]) =>
    names.filter(Boolean),
  );
/** Returns the start tags of a component, up to the end of their properties. */
const tagsOf = (name: string) =>
  sources.flatMap((text) =>
    [...text.matchAll(new RegExp(`<${name}\\b(?:=>|\\{[^}]*\\}|[^>{])*>`, 'g'))].map(([tag]) => tag),
  );

it('Every icon has the drawings with which the app shows it.', () => {
  const menu = import.meta.glob<string>('../app/menu.ts', { query: '?raw', import: 'default', eager: true });
  const wanted = {
    bold: [] as string[],
    fill: Object.values(menu).flatMap(passed),
    duotone: ['EmptyState', 'Message'].flatMap(tagsOf).flatMap(passed),
  };
  for (const tag of tagsOf('[A-Z]\\w*Icon')) {
    const [, name = ''] = /<(\w+)Icon/.exec(tag) ?? [];
    const written = /\bweight=(?:"(\w+)"|\{([^}]*)\})/.exec(tag);
    for (const weight of ['bold', 'duotone', 'fill'] as const) {
      if (written?.[1] === weight || written?.[2]?.includes(`'${weight}'`)) wanted[weight].push(name);
    }
  }
  expect(wanted.fill).toEqual(expect.arrayContaining(['Gauge', 'Play', 'Bell']));
  expect(wanted.duotone).toEqual(expect.arrayContaining(['TrayArrowDown', 'Scan']));
  expect(wanted.bold).toContain('DotsThreeVertical');
  for (const weight of ['bold', 'duotone', 'fill'] as const) {
    expect(
      wanted[weight].filter((name) => !drawn[weight].includes(name)),
      weight,
    ).toEqual([]);
  }
  expect(sources.filter((text) => /\bweight="(thin|light)"/.test(text))).toEqual([]);
});
