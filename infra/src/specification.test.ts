import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { errors } from '@lightbox/contract/errors.js';
import { clientEvents, serverEvents } from '@lightbox/contract/events.js';
import { limits } from '@lightbox/contract/limits.js';
import { permissions, roles } from '@lightbox/contract/permissions.js';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };

interface TestFile {
  name: string;
  text: string;
}

const tests: TestFile[] = workspaces.sort().flatMap((workspace) =>
  readdirSync(join(root, workspace, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .sort()
    .map((file) => {
      const name = join(workspace, 'src', file);
      return { name, text: readFileSync(join(root, name), 'utf8') };
    }),
);

/** Test files that name it; a path's parameters stand for anything. */
function provenBy(pattern: RegExp): string[] {
  return tests
    .filter(({ name, text }) => !name.endsWith('specification.test.ts') && pattern.test(text))
    .map(({ name }) => name);
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const pathPattern = (name: string, path: string) =>
  new RegExp(`\\b${name}\\b|['"\`]${escaped(path).replace(/:\w+/g, '[^\'"`/]+')}(?=['"\`?])`);

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** Every call goes through the table of roles and objects; other tests are named where they use it. */
const everyCall = 'backend/src/authorization.test.ts';
const files = (names: string[]) => [...new Set(names)].map((name) => `\`${name}\``).join(', ');

function callRows(): string[][] {
  return (Object.entries(calls) as [string, CallShape][]).map(([name, call]) => [
    `${call.method.toUpperCase()} ${call.path}`,
    call.who in permissions ? permissions[call.who as keyof typeof permissions].join(', ') : call.who,
    call.summary,
    files([everyCall, ...provenBy(pathPattern(name, call.path))]),
  ]);
}

const flat = (value: object, prefix = ''): [string, unknown][] =>
  Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' ? flat(inner, `${prefix}${key}.`) : [[`${prefix}${key}`, inner] as [string, unknown]],
  );

it('docs/specification-contract.md lists every call, event, error, limit and permission with the tests that use it', async () => {
  const events = [
    ...Object.keys(serverEvents).map((name) => [name, 'server → client', files(provenBy(new RegExp(`'${name}'`)))]),
    ...Object.keys(clientEvents).map((name) => [name, 'client → server', files(provenBy(new RegExp(`'${name}'`)))]),
  ];
  const page = [
    '# The contract, row by row',
    'Made from `contract/src` by `infra/src/specification.test.ts`; `npx vitest run infra/src/specification --update` writes it anew.',
    '## Calls',
    table(['call', 'who', 'what', 'tests'], callRows()),
    '## Socket events',
    table(['event', 'direction', 'tests'], events),
    '## Errors',
    table(
      ['code', 'status', 'words', 'tests'],
      Object.entries(errors).map(([code, [status, words]]) => [
        code,
        String(status),
        words,
        files(provenBy(new RegExp(`\\b${code}\\b`))),
      ]),
    ),
    '## Limits',
    table(
      ['limit', 'value', 'tests'],
      flat(limits).map(([name, value]) => [
        name,
        String(value),
        files(provenBy(new RegExp(`limits\\.${escaped(name)}\\b`))),
      ]),
    ),
    '## Permissions',
    table(
      ['permission', ...roles],
      Object.entries(permissions).map(([name, who]) => [
        name,
        ...roles.map((role) => ((who as readonly string[]).includes(role) ? 'yes' : '')),
      ]),
    ),
  ].join('\n\n');
  await expect(`${page}\n`).toMatchFileSnapshot(join(root, 'docs/specification-contract.md'));
});

it.each(Object.keys(calls))('%s is used by a test beside the table of roles', (name) => {
  const call = calls[name as keyof typeof calls];
  expect(provenBy(pathPattern(name, call.path)).filter((file) => file !== everyCall)).not.toEqual([]);
});
