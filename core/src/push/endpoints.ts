import { type LookupAddress, lookup } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A push service's address that is none that this server may be sent to. */
export class ForbiddenEndpoint extends Error {
  override name = 'ForbiddenEndpoint';
  constructor() {
    super('The address of this push service is not public.');
  }
}

/**
 * Whether everybody could reach this address. Loopback, private, link-local, shared and reserved ranges are not public,
 * nor are the IPv6 forms that carry an IPv4 address elsewhere (mapped, NAT64, 6to4, Teredo): nobody's push service is there.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  // Of IPv6 only 2000::/3 is given out; the rest holds forms such as `::7f00:1`.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3')));
}

/** The host of an address as sockets take it: IPv6 without brackets. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/**
 * Whether the server may ever send to this endpoint, by its text alone: https on its usual port, and no address in numbers
 * that is not public. Origins that the operator names are taken as they are.
 */
export function mayBeEndpoint(endpoint: string, trusted: string[]): boolean {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || url.username || url.password) return false;
  if (trusted.includes(url.origin)) return true;
  const host = hostOf(url);
  return url.protocol === 'https:' && url.port === '' && (isIP(host) === 0 || isPublicAddress(host));
}

/** The same with its name looked up. A name that cannot be found is refused alike, so that nobody learns what names are there. */
export async function isEndpoint(endpoint: string, trusted: string[]): Promise<boolean> {
  if (!mayBeEndpoint(endpoint, trusted)) return false;
  const url = new URL(endpoint);
  if (trusted.includes(url.origin)) return true;
  const addresses = await resolve(hostOf(url), { all: true }).catch(() => []);
  return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
}

/**
 * `lookup` for the sockets of a request: the very address that is connected to is the one that was judged, so a name that
 * changes between the two is no way in.
 */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const first = addresses?.[0];
    if (error || !first) return done(error ?? new ForbiddenEndpoint(), '');
    if (!addresses.every(({ address }) => isPublicAddress(address))) return done(new ForbiddenEndpoint(), '');
    if (options.all) return done(null, addresses);
    done(null, first.address, first.family);
  });
};
