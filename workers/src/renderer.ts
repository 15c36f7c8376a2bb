import { createLogger } from '@lightbox/core/process/log.js';
import { Renderers } from './previews/renderers.js';
import { findSandbox } from './previews/sandbox.js';
import { startRenderService } from './previews/service.js';

/** The renderer service. It reads only these two variables: it needs no others and must not hold keys. */
const { RENDERER_SOCKET, LOG_LEVEL = 'info' } = process.env;
if (!RENDERER_SOCKET) {
  process.stderr.write('RENDERER_SOCKET must name the Unix socket on which workers reach the renderer.\n');
  process.exit(78);
}
const log = createLogger({ production: true, logLevel: LOG_LEVEL }, 'renderer');
const sandbox = await findSandbox();
const service = await startRenderService(RENDERER_SOCKET, new Renderers({ size: 2, sandbox }), log);
log.info({ isolation: sandbox.isolation }, 'ready');

const stop = (): void => {
  void service.stop().then(() => {
    sandbox.close();
    process.exit(0);
  });
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
