import { createRequire } from 'node:module';

/** Both runtimes have this interface. Neither is a dependency: a clinic installs one with `AI_PROVIDER=onnx`. */
export type Runtime = typeof import('onnxruntime-web');

/** In the order of their speed. The first one that is installed runs the classifier. */
export const runtimes = ['onnxruntime-node', 'onnxruntime-web'] as const;
const require = createRequire(import.meta.url);
const { devDependencies } = require('../../../package.json') as { devDependencies: { 'onnxruntime-web': string } };

/** The version of both: the one with which the tests run, so that there is one place for it. */
export const RUNTIME_VERSION = devDependencies['onnxruntime-web'];

/** Returns the runtime that is installed, or undefined. */
export function runtimeName(): string | undefined {
  return runtimes.find((name) => {
    try {
      return require.resolve(name) !== '';
    } catch {
      return false;
    }
  });
}
