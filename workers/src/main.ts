import { ConfigError, configExitCode, loadConfig } from '@lightbox/core/config/env.js';
import { startWorker } from './worker.js';

const worker = await startWorker(loadConfig(process.env)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(error instanceof ConfigError ? configExitCode : 1);
});

let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    worker.stop().then(() => process.exit(0));
  });
}
process.on('unhandledRejection', (error) => worker.core.log.error({ err: error }, 'unhandled rejection'));
