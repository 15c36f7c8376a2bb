// `npm run test:backup`: backs up a busy product and restores it elsewhere, with the real programs and a real S3 server.
// Builds with Go what is missing on the path.
import { join } from 'node:path';
import { withPrograms } from './goPrograms.mjs';
import { node, root } from './setup.mjs';

await withPrograms(['mongodump', 'mongorestore', 'age', 'age-keygen', 'versitygw'], async () => {
  const env = { WITH_BACKUP_TOOLS: '1' };
  await node(
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'node', 'infra/src/backup.test.ts'],
    env,
  );
});
