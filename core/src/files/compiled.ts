/**
 * Where the compiled form of a neighbouring module is. Threads and child processes load plain JavaScript; tests and
 * tsx run this file from `src`, and then it lies in `dist`.
 */
export function compiled(name: string, from: string): URL {
  return new URL(name, from.replace(/\/src\/(?!.*\/src\/)/, '/dist/'));
}
