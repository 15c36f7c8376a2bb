// `npm run check:rules`: checks the alert rules of infra/monitoring and runs their tests, with promtool. Builds it with Go when it
// is missing on the path.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { withPrograms } from './goPrograms.mjs';
import { root, StepError } from './setup.mjs';

const cwd = join(root, 'infra/monitoring');

await withPrograms(['promtool'], () => {
  for (const args of [
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    if (spawnSync('promtool', args, { cwd, stdio: 'inherit' }).status !== 0)
      throw new StepError(`promtool ${args.join(' ')} finds a fault.`);
  }
});
