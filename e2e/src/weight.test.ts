import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
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

test('The first load of /login stays within its budget of JavaScript.', () => {
  const named = [...read('index.html').matchAll(/<(?:script|link)[^>]* (?:src|href)="\/([^"]+\.js)"/g)];
  const scripts = new Set([...files, ...named.map(([, file = '']) => file)]);
  expect(scripts).toContain('theme.js');
  const sizes = [...scripts].map((file) => ({ file, bytes: gzipSync(read(file)).length }));
  expect(sizes.length, 'the number of scripts').toBeLessThanOrEqual(goals.loginScripts);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const heaviest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 5);
  expect(total, `the heaviest: ${JSON.stringify(heaviest)}`).toBeLessThanOrEqual(goals.loginScriptBytes);
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
