import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { errors } from '@lightbox/contract/errors.js';
import { clientEvents, serverEvents } from '@lightbox/contract/events.js';
import { limits } from '@lightbox/contract/limits.js';
import { permissions, roles } from '@lightbox/contract/permissions.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };

interface TestFile {
  name: string;
  text: string;
}

const tests: TestFile[] = workspaces.sort().flatMap((workspace) =>
  readdirSync(join(root, workspace, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .sort()
    .map((file) => {
      const name = `${workspace}/src/${file.replaceAll('\\', '/')}`;
      return { name, text: read(name) };
    }),
);

/** Returns the names of the test files that match, without this one. */
function provenBy(pattern: RegExp): string[] {
  return tests
    .filter(({ name, text }) => !name.endsWith('specification.test.ts') && pattern.test(text))
    .map(({ name }) => name);
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** Matches the name of a call, or its path with any parameters. */
const callPattern = (name: string, path: string) =>
  new RegExp(`\\b${name}\\b|['"\`]${escaped(path).replace(/:\w+/g, '[^\'"`/]+')}(?=['"\`?])`);

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** This test covers every call. The table names only other tests that use a call. */
const everyCall = 'backend/src/authorization.test.ts';
const files = (names: string[]) => [...new Set(names)].map((name) => `\`${name}\``).join(', ');

function callRows(): string[][] {
  return (Object.entries(calls) as [string, CallShape][]).map(([name, call]) => [
    `${call.method.toUpperCase()} ${call.path}`,
    call.who in permissions ? permissions[call.who as keyof typeof permissions].join(', ') : call.who,
    call.summary,
    files([everyCall, ...provenBy(callPattern(name, call.path))]),
  ]);
}

const flat = (value: object, prefix = ''): [string, unknown][] =>
  Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' ? flat(inner, `${prefix}${key}.`) : [[`${prefix}${key}`, inner] as [string, unknown]],
  );

it('test-results/specification-contract.md lists every call, event, error, limit and permission with the tests that use it.', () => {
  const events = [
    ...Object.keys(serverEvents).map((name) => [name, 'server → client', files(provenBy(new RegExp(`'${name}'`)))]),
    ...Object.keys(clientEvents).map((name) => [name, 'client → server', files(provenBy(new RegExp(`'${name}'`)))]),
  ];
  const page = [
    '# The contract, row by row',
    'Made from `contract/src` by `infra/src/specification.test.ts`.',
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
  mkdirSync(join(root, 'test-results'), { recursive: true });
  writeFileSync(join(root, 'test-results/specification-contract.md'), `${page}\n`);
  expect(events.filter(([, , named]) => !named).map(([name]) => name)).toEqual([]);
});

it.each(Object.keys(calls))('%s is used by a test beside the table of roles', (name) => {
  const call = calls[name as keyof typeof calls];
  expect(provenBy(callPattern(name, call.path)).filter((file) => file !== everyCall)).not.toEqual([]);
});

describe('the documents', () => {
  const markdown = (folder: string): string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
  const documents = [
    ...readdirSync(root).filter((file) => file.endsWith('.md')),
    ...markdown('docs'),
    ...markdown('.github'),
  ].map((name) => ({ name, text: read(name) }));
  const exists = (name: string) => existsSync(join(root, name));

  /** Returns every finding of a check, with its document. */
  const findings = (check: (text: string, folder: string, name: string) => string[]): string[] =>
    documents.flatMap(({ name, text }) => check(text, dirname(name), name).map((finding) => `${name}: ${finding}`));

  /** Returns the anchors of a document, as GitHub and common editors derive them from its headings. */
  const anchorsOf = (text: string) =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  it('contain only relative links to files and headings that exist', () => {
    const broken = findings((text, folder, name) =>
      [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, link = '']) => {
        const [path = '', anchor] = link.split('#');
        const target = path ? join(folder, path) : name;
        return exists(target) && (anchor === undefined || anchorsOf(read(target)).includes(anchor)) ? [] : [link];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('name only source files that exist', () => {
    const absent = findings((text) =>
      [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:tsx?|mjs|js|sh|conf|css|json))`/g)]
        .map(([, file = '']) => file)
        .filter((file) => !['', 'backend/src/', 'frontend/src/'].some((folder) => exists(folder + file))),
    );
    expect(absent).toEqual([]);
  });

  it('cite only tests that exist, as `file` “title”', () => {
    const unknown = findings((text) => {
      // A page may introduce a short name for a file: `bad` is `abuse/badInput.test.ts`.
      const short = new Map(
        [...text.matchAll(/`(\w+)`\s+(?:is\s+)?`([\w./-]+\.test\.tsx?)`/g)].map(([, name, file]) => [name, file]),
      );
      let cited: TestFile | undefined;
      return [...text.matchAll(/`([^`\n]+)`|“([^”]+)”/g)].flatMap(([, code = '', title]) => {
        if (title !== undefined) {
          return cited?.text.includes(title.replace(/\s+/g, ' ')) ? [] : [`${cited?.name} “${title}”`];
        }
        const file = short.get(code) ?? code;
        if (!/\.test\.tsx?$/.test(file)) return [];
        cited = tests.find(({ name }) => name === file || name === `backend/src/${file}`);
        // A name without a folder matches any test file of that name.
        return cited || tests.some(({ name }) => name.endsWith(`/${file}`)) ? [] : [file];
      });
    });
    expect(unknown).toEqual([]);
  });
});

it('The hosted workflow runs .ci/run from the oldest supported Node on, and the file that keys its cache exists.', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const text = read('.github/workflows/ci.yml');
  const { jobs } = parse(text) as {
    jobs: { test: { strategy: { matrix: { node: number[] } }; steps: { run?: string }[] } };
  };
  expect(jobs.test.steps.flatMap(({ run }) => run ?? [])).toEqual(['.ci/run']);
  expect(Math.min(...jobs.test.strategy.matrix.node)).toBe(Number(/\d+/.exec(engines.node)?.[0]));
  const hashed = [...text.matchAll(/hashFiles\('([^']+)'\)/g)].map(([, file = '']) => file);
  expect(hashed).toHaveLength(1);
  for (const file of hashed) expect(existsSync(join(root, file)), file).toBe(true);
});
