import { createRequire } from 'node:module';

/** Both runtimes have this interface. Neither is a dependency: a clinic installs one with `AI_PROVIDER=onnx`. */
export type Runtime = typeof import('onnxruntime-web');

/** In the order of their speed. The first one that is installed runs the classifier. */
export const runtimes = ['onnxruntime-node', 'onnxruntime-web'] as const;
/** The version of both with which the tests run. */
export const RUNTIME_VERSION = '1.30.0';

const require = createRequire(import.meta.url);

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
