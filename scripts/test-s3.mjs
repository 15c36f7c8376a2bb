// `npm run test:s3`: tests the blob stores against a real S3 server. Without S3_ENDPOINT and without versitygw on the path,
// it installs versitygw with Go.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { node, root } from './setup.mjs';

const runs = (command, ...args) => !spawnSync(command, args).error;
const installed = existsSync(join(homedir(), 'go/bin/versitygw'));

if (!process.env.S3_ENDPOINT && !runs('versitygw', '--version') && !installed) {
  if (!runs('go', 'version')) {
    console.error('Go is not on the path. Install it, put versitygw on the path, or set S3_ENDPOINT.');
    process.exit(1);
  }
  const env = { ...process.env, GOBIN: join(homedir(), 'go/bin') };
  const args = ['install', 'github.com/versity/versitygw/cmd/versitygw@v1.8.0'];
  if (spawnSync('go', args, { env, stdio: 'inherit' }).status !== 0) process.exit(1);
}
node([join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'node', 'core/src/blobs/stores.test.ts']);
