// `npm run every-screen [-- --testNamePattern …]`: checks every screen and dialog in both languages and both themes,
// and takes pictures of all.
import { join } from 'node:path';
import { node, root, StepError, setup } from './setup.mjs';

const test = ['--config', 'e2e/vitest.config.ts', 'src/everyScreen'];
try {
  await setup();
  await node([join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...test, ...process.argv.slice(2)], {
    PICTURES: '1',
  });
} catch (error) {
  console.error(`\n${error instanceof StepError ? error.message : error.stack}`);
  process.exitCode = 1;
}
