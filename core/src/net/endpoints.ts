import { type LookupAddress, lookup } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Thrown for an address that a person chose and to which this server must not connect. */
export class ForbiddenEndpoint extends Error {
  override name = 'ForbiddenEndpoint';
  constructor() {
    super('The address is not public.');
  }
}

/**
 * True when the address is public. Loopback, private, link-local, shared and reserved ranges are not, nor are the IPv6
 * forms that carry an IPv4 address (mapped, NAT64, 6to4, Teredo): no push service or webhook is there.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  // Only 2000::/3 of IPv6 is assigned; the rest contains forms such as `::7f00:1`.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3')));
}

/** Returns the host of a URL in the form for sockets: IPv6 without brackets. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/**
 * True when the server may send to this endpoint, judged by its text alone: https on the default port, and no IP
 * address that is not public. Origins that the operator names are always accepted.
 */
export function mayBeEndpoint(endpoint: string, trusted: string[]): boolean {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || url.username || url.password) return false;
  if (trusted.includes(url.origin)) return true;
  const host = hostOf(url);
  return url.protocol === 'https:' && url.port === '' && (isIP(host) === 0 || isPublicAddress(host));
}

/**
 * Checks the same, and resolves the name. A name that does not resolve is refused in the same way, so that nobody can
 * probe for names.
 */
export async function isEndpoint(endpoint: string, trusted: string[]): Promise<boolean> {
  if (!mayBeEndpoint(endpoint, trusted)) return false;
  const url = new URL(endpoint);
  if (trusted.includes(url.origin)) return true;
  const addresses = await resolve(hostOf(url), { all: true }).catch(() => []);
  return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
}

/**
 * `lookup` for the sockets of a request. It checks the very address to which the socket connects, so a name that
 * changes after the first check (DNS rebinding) is refused too.
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
