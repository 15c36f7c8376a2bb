import { parseArgs } from 'node:util';
import { runWithCore, say } from '@lightbox/core/process/command.js';
import { adminCode } from './adminCode.js';

/** `npm run admin:code -- --email x`: prints the code of an administrator's sign-in that is under way. */
await runWithCore('admin-code', async (core) => {
  const { values } = parseArgs({ options: { email: { type: 'string' } }, args: process.argv.slice(3) });
  const { text, code } = await adminCode(core, values.email ?? '');
  say(text);
  return code !== null;
});
