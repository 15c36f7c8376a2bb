// `npm run check:rules`: checks the alert rules of infra/monitoring and runs their tests, with promtool from the path.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './setup.mjs';

const cwd = join(root, 'infra/monitoring');
for (const args of [
  ['check', 'rules', 'alerts.yml'],
  ['test', 'rules', 'alerts.test.yml'],
]) {
  const { error, status } = spawnSync('promtool', args, { cwd, stdio: 'inherit' });
  if (error?.code === 'ENOENT') {
    console.error('promtool is not on the path. It comes with Prometheus (Debian and Ubuntu: package prometheus).');
    process.exit(1);
  }
  if (status !== 0) process.exit(1);
}
