/** The mail catcher as a process of its own: `mailProcess.js <SMTP port> <web port> <folder>`. */
import { MailDev } from 'maildev';

const [smtp, web, mailDirectory = '.'] = process.argv.slice(2);
const host = '127.0.0.1';
const catcher = new MailDev({
  smtp: Number(smtp),
  web: Number(web),
  ip: host,
  webIp: host,
  silent: true,
  mailDirectory,
  maxEmails: 500,
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void catcher.stop().finally(() => process.exit(0)));
}
await catcher.start();
