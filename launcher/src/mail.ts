import { join } from 'node:path';
import type { EmbeddedServer } from './server.js';

/** The mail catcher: it accepts every mail and shows it on a page. Both ports are on loopback only. */
export function mailServer(folder: string, smtpPort: number, webPort: number): EmbeddedServer {
  return {
    name: 'The mail catcher',
    uri: `smtp://127.0.0.1:${smtpPort}`,
    command: process.execPath,
    args: [join(import.meta.dirname, 'mailProcess.js'), String(smtpPort), String(webPort), folder],
    logFile: join(folder, 'logs', 'mail.log'),
    answers: async () => {
      const answer = await fetch(`http://127.0.0.1:${webPort}/healthz`, { signal: AbortSignal.timeout(1000) });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
    },
  };
}
