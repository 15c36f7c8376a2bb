import { runProcess } from '@lightbox/core/process/runProcess.js';
import { startGateway } from './gateway.js';

await runProcess('gateway', async (config) => {
  const { gateway, ready, stop } = await startGateway(config);
  return { core: gateway, ready, stop };
});
