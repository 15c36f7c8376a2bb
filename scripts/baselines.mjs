// `npm run baselines`: takes new baselines of the main screens, after an intended change of their looks.
import { join } from 'node:path';
import { node, root, StepError, setup } from './setup.mjs';

const test = ['--config', 'e2e/vitest.config.ts', 'src/everyScreen', '--testNamePattern', 'The main screens look'];
try {
  await setup();
  await node([join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...test], { RENEW_BASELINES: '1' });
} catch (error) {
  console.error(`\n${error instanceof StepError ? error.message : error.stack}`);
  process.exitCode = 1;
}
