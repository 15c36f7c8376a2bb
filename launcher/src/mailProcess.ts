/** The mail catcher as a separate process: `mailProcess.js <SMTP port> <web port> <data folder> [address in a container]`. */
import { join } from 'node:path';
import { deriveInboxToken } from '@lightbox/core/config/keys.js';
import { ensureSecrets } from '@lightbox/core/config/secrets.js';
import { startInbox } from './inbox.js';

const [smtp, web, dataDir = '.', host] = process.argv.slice(2);
// Reads the secret here, not from an argument: every user of the machine can see the arguments of a process.
const token = deriveInboxToken(ensureSecrets(dataDir).appKeys);
const ports = { smtpPort: Number(smtp), webPort: Number(web) };
const inbox = await startInbox({ ...ports, folder: join(dataDir, 'mail'), token, host });
if (host) console.log(`All mail stays in the test inbox; read it at ${inbox.url}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void inbox.stop().finally(() => process.exit(0)));
}
