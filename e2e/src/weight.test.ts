import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { goals } from './vitals/goals.js';

/** The folder of the build, which `npm test` creates first. */
const dist = join(import.meta.dirname, '../../frontend/dist');
const read = (file: string) => readFileSync(join(dist, file), 'utf8');

interface Chunk {
  file: string;
  imports?: string[];
  isDynamicEntry?: boolean;
}
const manifest = JSON.parse(read('.vite/manifest.json')) as Record<string, Chunk>;

/** Returns a chunk with all chunks that it imports statically. */
function withImports(key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`${key} is not in the build.`);
  if (found.has(key)) return found;
  found.add(key);
  for (const one of chunk.imports ?? []) withImports(one, found);
  return found;
}

const route = 'src/auth/Login.tsx';
const first = withImports(route, withImports('index.html'));
const files = [...first].map((key) => manifest[key]?.file ?? '');
/** The frame of the signed-in screens. */
const inFrame = ['src/app/InShell.tsx'];

/** Returns the scripts of a screen, with their sizes as the gateway sends them. */
function scriptsOf(keys: readonly string[]) {
  const found = withImports('index.html');
  for (const key of keys) withImports(key, found);
  const named = [...read('index.html').matchAll(/<(?:script|link)[^>]* (?:src|href)="\/([^"]+\.js)"/g)];
  const scripts = new Set([
    ...[...found].map((key) => manifest[key]?.file ?? ''),
    ...named.map(([, file = '']) => file),
  ]);
  expect(scripts).toContain('theme.js');
  // A small file is not worth compressing.
  const sent = (file: string) =>
    statSync(join(dist, `${file}.br`), { throwIfNoEntry: false }) ?? statSync(join(dist, file));
  return [...scripts].map((file) => ({ file, bytes: sent(file).size }));
}

test.each([
  ['/login', [route]],
  ['/view-images', [...inFrame, 'src/app/ImagesScreen.tsx']],
  ['/messages', [...inFrame, 'src/app/MessagesScreen.tsx']],
] as const)('The first load of %s stays within its budget of JavaScript.', (screen, keys) => {
  const sizes = scriptsOf(keys);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const heaviest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 5);
  expect(total, `the heaviest: ${JSON.stringify(heaviest)}`).toBeLessThanOrEqual(goals.scriptBytes[screen]);
});

test('No two scripts import each other: one of them would use parts of the other before they are there.', () => {
  const circles = Object.entries(manifest).flatMap(([key, { imports = [] }]) =>
    imports.filter((one) => withImports(one).has(key)).map((one) => `${key} and ${one}`),
  );
  expect(circles).toEqual([]);
});

test('The first load of /login has few scripts: a slow line pays for each.', () => {
  expect(scriptsOf([route]).length).toBeLessThanOrEqual(goals.loginScripts);
});

test('The gallery and the chats load no validation of the gateway.', () => {
  for (const screen of ['ImagesScreen', 'MessagesScreen']) {
    const loaded = scriptsOf([...inFrame, `src/app/${screen}.tsx`]);
    expect(
      loaded.filter(({ file }) => read(file).includes('ZodError')),
      screen,
    ).toEqual([]);
  }
});

test('The page paints its frame before any script of the bundle and any style sheet is loaded.', () => {
  const page = read('index.html');
  const frame = page.indexOf('class="first"');
  expect(frame).toBeGreaterThan(0);
  expect(page.indexOf('rel="stylesheet"')).toBeGreaterThan(frame);
  const blocking = [...page.matchAll(/<script(?![^>]*type="module")[^>]*>/g)].map(([tag]) => tag);
  expect(blocking).toEqual(['<script src="/theme.js">']);
});

test('The first load of /login contains no other screen, and no code of the screens after the sign-in.', () => {
  const others = Object.entries(manifest).filter(([key, { isDynamicEntry }]) => isDynamicEntry && key !== route);
  expect(others.map(([key]) => key)).toEqual(
    expect.arrayContaining(['src/app/RequireSession.tsx', 'src/app/Queries.tsx']),
  );
  expect(others.filter(([key]) => first.has(key))).toEqual([]);
  // Texts that survive the minifier identify a library: zod, Socket.IO, TanStack Query.
  const text = files.map(read).join();
  for (const mark of ['ZodError', '/socket.io', 'No QueryClient set']) expect(text.includes(mark), mark).toBe(false);
});
