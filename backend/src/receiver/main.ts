import { runProcess } from '@lightbox/core/process/runProcess.js';
import { startReceiver } from './receiver.js';

await runProcess('dicom', async (config) => {
  const { gateway, ready, stop } = await startReceiver(config);
  return { core: gateway, ready, stop };
});
