// `npm run baselines`: keeps the main screens' pictures anew, after a change to their looks that is meant.
import { join } from 'node:path';
import { node, root, setup } from './setup.mjs';

setup();
const test = ['--config', 'e2e/vitest.config.ts', 'src/everyScreen', '--testNamePattern', 'the main screens look'];
node([join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...test], { RENEW_BASELINES: '1' });
