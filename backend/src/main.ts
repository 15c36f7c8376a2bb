import { runProcess } from '@lightbox/core/runProcess.js';
import { startGateway } from './gateway.js';

await runProcess(async (config) => {
  const { gateway, stop } = await startGateway(config);
  return { core: gateway, stop };
});
