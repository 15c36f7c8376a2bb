import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

/** Collects garbage again and again, until the returned function is called. */
export function collectGarbage(): () => void {
  const timer = setInterval(collect, 20);
  return () => clearInterval(timer);
}
