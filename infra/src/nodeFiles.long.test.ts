import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Starts itself once more, and opens the memory of that process. */
const intruder = `
  const child = require('node:child_process').spawn(process.execPath, ['-p', '1; process.stdin.resume()']);
  child.stdout.once('data', () => {
    try {
      require('node:fs').openSync('/proc/' + child.pid + '/mem', 'r+');
      console.log('opened');
    } catch (error) {
      console.log(error.code);
    }
    child.kill();
  });`;

// The script asks Debian's package manager for the libraries.
test.runIf(existsSync('/usr/bin/dpkg'))('A process of an image cannot open the memory of another one.', () => {
  const out = mkdtempSync(join(tmpdir(), 'lightbox-node-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  chmodSync(out, 0o755);
  const made = spawnSync('sh', [join(import.meta.dirname, '../docker/node-files.sh'), out], { encoding: 'utf8' });
  expect(made.status, made.stderr).toBe(0);
  // Root may open the memory of every process, and is no account of an image.
  const account = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {};
  const tried = spawnSync(join(out, 'usr/local/bin/node'), ['-e', intruder], {
    encoding: 'utf8',
    cwd: '/',
    ...account,
  });
  expect(tried.stdout.trim(), tried.stderr).toBe('EACCES');
});
