import { configExitCode, loadConfig } from '@lightbox/core/config/env.js';
import { reportReady, whenLauncherIsGone } from '@lightbox/core/embedded/launcherLink.js';
import { startWorker } from './worker.js';

const { core, stop } = await startWorker(loadConfig(process.env)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(error.name === 'ConfigError' ? configExitCode : 1);
});

let stopping = false;
function stopOnce(): void {
  if (stopping) return;
  stopping = true;
  stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}
process.on('SIGTERM', stopOnce);
process.on('SIGINT', stopOnce);
// The terminal may be gone before we are.
process.stdout.on('error', () => undefined);
process.on('unhandledRejection', (error) => core.log.error({ err: error }, 'unhandled rejection'));
whenLauncherIsGone(stopOnce);
reportReady();
