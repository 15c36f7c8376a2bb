import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const sources = ['core', 'backend', 'workers'].flatMap((workspace) =>
  readdirSync(join(root, workspace, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(file))
    .map((file) => join(workspace, 'src', file)),
);

it('No transaction begins outside of `events.change`, except those that mark the state of a job.', () => {
  expect(sources.length).toBeGreaterThan(200);
  const begins = /\.(transaction|withTransaction|startTransaction|startSession)\(/;
  expect(sources.filter((file) => begins.test(readFileSync(join(root, file), 'utf8'))).sort()).toEqual([
    'core/src/events/events.ts',
    'workers/src/analysis/analyseImage.ts',
    'workers/src/maintenance/repair.ts',
    'workers/src/previews/makePreview.ts',
  ]);
});
