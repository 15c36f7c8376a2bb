import { parseArgs } from 'node:util';
import { loadConfig } from '@lightbox/core/config/env.js';
import { createCore } from '@lightbox/core/core.js';
import { adminCode } from './adminCode.js';

/** `npm run admin:code -- --email x`: prints the code of an administrator's sign-in that is under way. */
const { values } = parseArgs({ options: { email: { type: 'string' } }, args: process.argv.slice(3) });
const core = await createCore(loadConfig(process.env), 'admin-code');
const answer = await adminCode(core, values.email ?? '');
await core.close();
process.stdout.write(`${answer.text}\n`);
process.exit(answer.code === null ? 1 : 0);
