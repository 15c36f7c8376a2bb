import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const rules = join(root, 'lint');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-lint-'));
  const plugins = readdirSync(rules).map((rule) => join(rules, rule));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins, linter: { rules: { preset: 'none' } } }));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the line numbers of a source file, counted from 1, at which the project's own lint rules report something. */
function reportedLines(lines: string[]): number[] {
  const file = join(folder, 'sample.ts');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const lint = [biome, 'lint', '--reporter=github', '--max-diagnostics=none', `--config-path=${folder}`, file];
  const { stdout } = spawnSync(process.execPath, lint, { encoding: 'utf8' });
  return [...stdout.matchAll(/^::error title=plugin.*?,line=(\d+)/gm)].map(([, line]) => Number(line));
}

it('The lint rules report a secret that is compared with an operator.', () => {
  const wrong = [
    'if (proof === given) open();',
    'if (refreshProof(key, id) !== given) refuse();',
    'if (hashOf(entry) !== entry.hash) refuse();',
    'if (given == share.token) open();',
  ];
  const right = [
    'if (isSame(proof, given)) open();',
    "if (typeof token !== 'string' || event.mac === undefined) refuse();",
  ];
  expect(reportedLines([...wrong, ...right])).toEqual([1, 2, 3, 4]);
});

it('The lint rules report a comparison of an error’s message.', () => {
  const wrong = [
    "if (error.message.includes('jwt expired')) refresh();",
    "if (error.message === 'Unauthenticated') end();",
    'if (endings.some((text) => error.message.startsWith(text))) end();',
    'if (/expired/.test((error as Error).message)) refresh();',
    "if (message !== 'jwt expired') end();",
  ];
  const right = [
    "if (error.code === 'JWT_EXPIRED') refresh();",
    'if (error.message === undefined) show(error.message);',
  ];
  expect(reportedLines([...wrong, ...right])).toEqual([1, 2, 3, 4, 5]);
});
