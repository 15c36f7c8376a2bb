/** The mail catcher as a process of its own: `mailProcess.js <SMTP port> <web port> <data folder>`. */
import { join } from 'node:path';
import { deriveInboxToken } from '../config/keys.js';
import { ensureSecrets } from '../config/secrets.js';
import { startInbox } from './inbox.js';

const [smtp, web, dataDir = '.'] = process.argv.slice(2);
// Read here and not handed over: the arguments of a process are for everybody on the machine to see.
const token = deriveInboxToken(ensureSecrets(dataDir).appKeys);
const inbox = await startInbox({ smtpPort: Number(smtp), webPort: Number(web), folder: join(dataDir, 'mail'), token });

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void inbox.stop().finally(() => process.exit(0)));
}
