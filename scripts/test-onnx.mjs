// `npm run test:onnx`: tests the classifier of AI_PROVIDER=onnx in the native runtime, onnxruntime-node. The runtime has 300 MB
// and is no dependency: this command installs it beside the product.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { node, npm, root, tsc } from './setup.mjs';

const read = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8'));
const runtime = 'onnxruntime-node';
const folder = join(root, 'node_modules', runtime);

// The classifier runs in a thread, which is loaded from `dist`.
await tsc('workers');
const { RUNTIME_VERSION: version } = await import('../workers/dist/analysis/providers/runtime.js');
if (!existsSync(folder) || read('node_modules', runtime, 'package.json').version !== version)
  await npm(['install', '--no-save', '--ignore-scripts', `${runtime}@${version}`]);

const tests = ['workers/src/analysis/providers/onnx.test.ts', 'campaigns/src/evaluate/evaluate.test.ts'];
await node([join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'node', ...tests], {
  ONNX_RUNTIME: runtime,
});
