import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const sources = ['core', 'backend', 'workers'].flatMap((workspace) =>
  readdirSync(join(root, workspace, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(file))
    .map((file) => join(workspace, 'src', file)),
);

it('No transaction begins outside of `events.change`, except those that mark the state of a job, count an upload, move a blob or upgrade the database.', () => {
  expect(sources.length).toBeGreaterThan(200);
  const begins = /\.(transaction|withTransaction|startTransaction|startSession)\(/;
  expect(sources.filter((file) => begins.test(readFileSync(join(root, file), 'utf8'))).sort()).toEqual([
    // Its session has a cursor, and no transaction.
    'backend/src/auth/follow.ts',
    'backend/src/uploads/sealedUploads.ts',
    'core/src/access/cards.ts',
    'core/src/blobs/move.ts',
    'core/src/events/events.ts',
    'core/src/uploads/removeUpload.ts',
    'workers/src/analysis/analyseImage.ts',
    'workers/src/maintenance/repair.ts',
    'workers/src/previews/makePreview.ts',
    'workers/src/previews/renderPhoto.ts',
  ]);
});

it('The name of an account changes together with its cards (`renameOnCards`).', () => {
  const texts = sources.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  const writes = texts.filter(([, text]) => /\bsearchFields\(/.test(text));
  expect(
    writes
      .filter(([, text]) => !text.includes('renameOnCards('))
      .map(([file]) => file)
      .sort(),
  ).toEqual([
    // New accounts, which no card names yet, and words that are folded anew.
    'backend/src/auth/register.ts',
    'backend/src/bootstrap.ts',
    'backend/src/demo/seed.ts',
    'backend/src/signOn/account.ts',
    'core/src/models/upgrade.ts',
  ]);
});

it('Ids have the time of the product’s clock, unless nothing reads their time or sorts by it.', () => {
  const own = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bnewId\(\)|\bnew (?:\w+\.)*ObjectId\(\)/g)].map(() => file),
  );
  expect(own.sort()).toEqual([
    // An act, which groups shares.
    'backend/src/sharing/addShares.ts',
    // The end of a username.
    'backend/src/signOn/account.ts',
    // An entry that does not exist.
    'core/src/audit/archive.ts',
    // Entries and receipts have numbers.
    'core/src/audit/entry.ts',
    'core/src/audit/receipts.ts',
    'core/src/audit/signing.ts',
    // Chunks have numbers too.
    'core/src/blobs/store.ts',
    // The default itself.
    'core/src/db/ids.ts',
  ]);
});

it('A span of time is measured by `performance.now()`, which no jump of the machine’s clock changes.', () => {
  expect(sources.filter((file) => readFileSync(join(root, file), 'utf8').includes('Date.now('))).toEqual([
    // These three compare clocks.
    'core/src/backup/backup.ts',
    'core/src/db/clock.ts',
    'core/src/selfCheck/checks.ts',
    // The queues have times of the machine.
    'workers/src/runner.ts',
  ]);
});

// Node 20: https://github.com/nodejs/node/issues/57736
it('No signal is joined with one of `AbortSignal.timeout`, which the garbage collector takes away before its time.', () => {
  const joins = sources.filter((file) =>
    /AbortSignal\.any\([^;]*\.timeout\(/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(joins).toEqual([]);
});

it('A query for opened shares leaves out those of copies (`openedOriginal`), which tell of no patient.', () => {
  expect(sources.filter((file) => /\bverifiedShare\b/.test(readFileSync(join(root, file), 'utf8')))).toEqual([
    'core/src/access/shares.ts',
  ]);
});

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };

/** Every TypeScript file of the repository, tests too, with its path. */
const typescript = (): string[] => [
  'vitest.config.ts',
  ...workspaces.flatMap((workspace) =>
    readdirSync(join(root, workspace), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(dist|node_modules|\.tsc)\//.test(file))
      .map((file) => join(workspace, file)),
  ),
];

it('A test waits for a condition as long as a busy machine needs: by `eventually`, or `expect.poll` without a time of its own.', () => {
  const tests = typescript().filter((file) => /\.test\.tsx?$/.test(file));
  const ownTime = /\bvi\.waitFor\(|\.poll\([^;]*?\btimeout: \d/;
  expect(tests.filter((file) => ownTime.test(readFileSync(join(root, file), 'utf8'))).sort()).toEqual([
    // The promise of a second.
    'backend/src/dicomWeb/otherViewer.test.ts',
    // Looks that are rare, because each costs much.
    'campaigns/src/chaos/faults.long.test.ts',
    'campaigns/src/chaos/majority.long.test.ts',
    // Timers that do not run by themselves.
    'frontend/src/messages/messages.test.ts',
    'frontend/src/messages/outbox.test.ts',
    // It measures the time.
    'workers/src/previews/turns.long.test.ts',
  ]);
});

/** The comments of a source. The lines of one block, and line comments that follow each other, are one comment. */
function commentsOf(text: string): string[] {
  const comments: string[] = [];
  let [open, block] = [false, false];
  for (const line of text.split('\n').map((each) => each.trim())) {
    const starts = /^(\/\*|\/\/)/.test(line);
    const own = starts || (open && block && line.startsWith('*'));
    const part = own ? line.replace(/^(\/\*\*?|\*\/|\*|\/\/)\s?/, '') : /(?:\{\/\*|\s\/\/)\s(.*)$/.exec(line)?.[1];
    if (part !== undefined) {
      const words = part.replace(/\s*\*\/.*$/, '');
      if (own && open && !line.startsWith('/*')) comments.push(`${comments.pop()} ${words}`);
      else comments.push(words);
    }
    if (line.startsWith('/*')) block = true;
    else if (starts) block = false;
    open = own && !line.endsWith('*/');
  }
  return comments;
}

/** The titles of the tests of a source, also those of `each`. */
const titlesOf = (text: string): string[] =>
  [
    ...text.matchAll(
      /\b(?:it|describe|test)(?:\.\w+(?:<[^(]*>)?(?:\([\s\S]*?\))?)?\(\s*(?:'((?:\\.|[^'\\])*)'|"([^"]*)"|`([^`]*)`)/g,
    ),
  ].map(([, single, double, template]) => single ?? double ?? template ?? '');

const clause = '(?:What|Who|Whose|Whoever|Whatever|Whichever|Where|Wherever|Whether|Which)\\b';

/** The sentences of comments, and the titles, that begin with a clause in place of a subject. Questions are allowed. */
function headless(text: string): string[] {
  const sentences = commentsOf(text).flatMap((comment) => comment.trim().split(/(?<=[.;:!?])\s+/));
  return [
    ...sentences.filter((sentence) => new RegExp(`^${clause}`).test(sentence)),
    ...titlesOf(text).filter((title) => new RegExp(`^${clause}`, 'i').test(title)),
  ].filter((words) => !words.trimEnd().endsWith('?'));
}

it('No sentence of a comment and no title of a test begins with a clause in place of a subject.', () => {
  const sample = [
    '/** Reads the',
    ' * record. Who',
    ' * may read it. */',
    'it.each([f()])(',
    "  'what is lost', g);",
    '// Why? Who else?',
  ];
  expect(headless(sample.join('\n'))).toEqual(['Who may read it.', 'what is lost']);
  const files = typescript();
  expect(files.length).toBeGreaterThan(800);
  const found = files.flatMap((file) =>
    headless(readFileSync(join(root, file), 'utf8')).map((words) => `${file}: ${words}`),
  );
  expect(found).toEqual([]);
});

it('Every function, value and class that a source exports is used in another file.', () => {
  const scripts = ['', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((file) => (file.endsWith('.mjs') ? [join(folder, file)] : [])),
  );
  const texts = [...typescript(), ...scripts].map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  /** The names that files import, by the name of the file from which they come, without folder and ending. */
  const imported = new Map<string, Set<string>>();
  const moduleOf = (path: string) => basename(path.replace(/\/index(\.\w+)?$/, '')).replace(/\.\w+$/, '');
  for (const [, text] of texts) {
    for (const [, clause, from, loaded] of text.matchAll(
      /\b(?:import|export)\s([^;'"]*?)\sfrom\s'([^']+)'|\bimport\(\s*'([^']+)'/g,
    )) {
      const module = moduleOf(from ?? loaded ?? '');
      // A whole module may be used by any name.
      const names = (clause?.includes('{') ? clause : text).match(/[A-Za-z_$][\w$]*/g) ?? [];
      imported.set(module, new Set([...(imported.get(module) ?? []), ...names]));
    }
  }
  // The contract is also the vocabulary of those who write other clients.
  const unused = texts
    .filter(([file]) => !/^contract\/|\.config\.ts$|\.test\.tsx?$/.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)].map(([, name = '']) => ({
        file,
        name,
      })),
    )
    .filter(({ file, name }) => !imported.get(moduleOf(file))?.has(name));
  expect(unused).toEqual([
    // It stands for a library, by an alias in the configuration of the build.
    { file: 'frontend/src/viewer/engine/noXml.ts', name: 'create' },
  ]);
});

it('No native decoder is loaded beside a key: the programs of gateway and worker import none, on no way.', () => {
  const decoder = /^(sharp|@hyzyla\/pdfium|@cornerstonejs\/codec)/;
  const imported =
    /^(?:import|export) (?!type\b)(?:[^;']*? from )?'([^']+)'|\bimport\('([^']+)'\)|compiled\('([^']+)'/gm;
  const fileOf = (from: string, name: string) => {
    const [, workspace, path] = /^@lightbox\/(\w+)\/(.+)\.js$/.exec(name) ?? [];
    if (workspace) return join(root, workspace, 'src', `${path}.ts`);
    const local = /^[./\w]+\.js$/.test(name) && (name.startsWith('.') || !name.includes('/'));
    return local ? join(dirname(from), name.replace(/\.js$/, '.ts')) : null;
  };
  const found = new Map<string, string>();
  const waiting = ['backend/src/main.ts', 'backend/src/receiver/main.ts', 'workers/src/main.ts'].map((at) =>
    join(root, at),
  );
  // The process that the worker starts without keys.
  const seen = new Set([join(root, 'workers/src/previews/renderProcess.ts')]);
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    for (const [, one, two, three] of readFileSync(file, 'utf8').matchAll(imported)) {
      const name = one ?? two ?? three ?? '';
      if (decoder.test(name)) found.set(relative(root, file), name);
      const next = fileOf(file, name);
      if (next) waiting.push(next);
    }
  }
  expect(seen.size).toBeGreaterThan(400);
  expect([...seen].some((file) => file.endsWith('onnxThread.ts'))).toBe(true);
  expect([...found]).toEqual([]);
});
