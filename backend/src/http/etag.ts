import { hmac } from '@lightbox/core/keys/keyring.js';
import type { Gateway } from '../context.js';

/** Returns a strong validator (RFC 9110, 8.8.3) that tells nothing of the names by which the bytes are stored. */
export const etagOf = ({ keys }: Pick<Gateway, 'keys'>, ...names: string[]): string =>
  `"${hmac(keys.names.current.key, 'etag', ...names)
    .toString('base64url')
    .slice(0, 22)}"`;

/** True when one of the validators in `If-None-Match` is this one (RFC 9110, 13.1.2). */
export const isKnown = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || strong(one.trim()) === strong(etag));

const strong = (etag: string): string => etag.replace(/^W\//, '');
