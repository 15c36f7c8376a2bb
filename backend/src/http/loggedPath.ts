import { calls } from '@lightbox/contract/calls.js';

const words = new Set([
  '',
  'api',
  'assets',
  'socket.io',
  ...Object.values(calls).flatMap(({ path }) => path.split('/')),
]);
const isId = (part: string) => /^[0-9a-f]{24}$/.test(part);

/**
 * Returns the path of a request for the log: words of the contract and ids. Everything else may be a name and becomes
 * `*`. The query is left out.
 */
export const loggedPath = (url: string): string =>
  (url.split('?')[0] ?? '')
    .split('/')
    .map((part) => (words.has(part) || isId(part) ? part : '*'))
    .join('/');
