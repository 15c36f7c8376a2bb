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
 * A request's path as it is logged: words of the contract and ids. Whatever else somebody typed there may be a name, and
 * becomes `*`; a query is left out whole.
 */
export const loggedPath = (url: string): string =>
  (url.split('?')[0] ?? '')
    .split('/')
    .map((part) => (words.has(part) || isId(part) ? part : '*'))
    .join('/');
