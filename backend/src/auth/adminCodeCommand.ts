import { readOptions, runWithCore, say } from '@lightbox/core/process/command.js';
import { adminCode } from './adminCode.js';

const read = () => readOptions('npm run admin:code -- --email x', { email: { type: 'string' } });

/** `npm run admin:code -- --email x`: prints the code of an administrator's sign-in that is under way. */
await runWithCore('admin-code', read, async (core, { values }) => {
  const { text, code } = await adminCode(core, values.email ?? '');
  say(text);
  return code !== null;
});
