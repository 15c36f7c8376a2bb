import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { secretSettings } from '@lightbox/core/config/secretSettings.js';
import { createLogger } from '@lightbox/core/process/log.js';
import { Renderers } from './previews/renderers.js';
import { findSandbox, isolations } from './previews/sandbox.js';
import { startRenderService } from './previews/service.js';
import { hasStrangers } from './previews/strangers.js';

/** The renderer service. It reads only these variables: it needs no others and must not hold keys. */
const { RENDERER_SOCKET, LOG_LEVEL = 'info', DATA_DIR } = process.env;

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(78);
}

/** A container has processes and folders of its own. On a machine they may be those of everybody. */
const isContainer = process.pid === 1;

if (!RENDERER_SOCKET) refuse('RENDERER_SOCKET must name the Unix socket on which workers reach the renderer.');
const held = secretSettings.filter((name) => process.env[name]?.trim());
if (held.length > 0) {
  refuse(`The renderer decodes foreign files and must not hold keys. Start it without ${held.join(', ')}.`);
}
const folder = statSync(dirname(RENDERER_SOCKET), { throwIfNoEntry: false });
if (!isContainer && folder && folder.mode & 0o022) {
  refuse(
    'Others may write in the folder of RENDERER_SOCKET, and could take the files of workers. Give it the mode 755.',
  );
}
const WATCH_MS = 1_000;

// Node would open its debugger at this signal, and a decoder can send it.
process.on('SIGUSR1', () => undefined);

const log = createLogger({ production: true, logLevel: LOG_LEVEL }, 'renderer');
const sandbox = await findSandbox(isolations, DATA_DIR ? { dataDir: DATA_DIR } : {});
const renderers = new Renderers({ size: 2, sandbox });
const service = await startRenderService(RENDERER_SOCKET, renderers, log);
if (sandbox.isolation === 'none' && !isContainer) {
  log.warn(
    'This machine has no sandbox: a file that takes over its decoder can read what the account of this renderer can. ' +
      'Use an account that reads no keys: neither those of a worker, nor its data folder (docs/security.md).',
  );
}
log.info({ isolation: sandbox.isolation }, 'ready');

/**
 * In a container the decoders have the account and the folders of this process. A file that takes one over could start a
 * process that outlives it and answers workers in place of this service. When the first process of a container ends, the
 * kernel ends every other one, and the engine starts the container again.
 */
const watch = (): void => {
  if (service.hasItsSocket() && !hasStrangers(renderers.pids)) return;
  log.error('a file has taken over its decoder: this service ends, and every process of its container with it');
  process.exit(1);
};
const watching = isContainer && sandbox.isolation === 'none' ? setInterval(watch, WATCH_MS) : undefined;

const stop = (): void => {
  clearInterval(watching);
  void service.stop().then(() => {
    sandbox.close();
    process.exit(0);
  });
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
