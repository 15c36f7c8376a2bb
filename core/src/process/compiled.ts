/**
 * Returns the compiled form of a neighbouring module. Threads and child processes load plain JavaScript. Tests and
 * other runners of TypeScript load this file from `src`, and then the compiled form is in `dist`.
 */
export function compiled(name: string, from: string): URL {
  if (!from.endsWith('.ts')) return new URL(name, from);
  const at = from.lastIndexOf('/src/');
  return new URL(name, `${from.slice(0, at)}/dist/${from.slice(at + '/src/'.length)}`);
}
