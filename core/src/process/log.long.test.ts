import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { compiled } from './compiled.js';

const program = `
  import { createLogger } from ${JSON.stringify(compiled('./log.js', import.meta.url).href)};
  const log = createLogger({ production: true, logLevel: 'info' }, 'test');
  for (let i = 0; i < 20_000; i++) log.info({ i }, 'A line of the log.');
  setTimeout(() => {
    log.info('One more line.');
    process.stderr.write('alive');
    setTimeout(() => process.exit(3), 100);
  }, 100);
`;

it.runIf(existsSync('/dev/full'))(
  'A process whose log is on a full disk goes on, and ends when it is to end.',
  async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      timeout: 60_000,
    });
    const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'exit')]);
    expect([said, code]).toEqual(['alive', 3]);
  },
);
