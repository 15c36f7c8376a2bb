import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { list } from './list.js';

const proxyNames = new Set(['loopback', 'linklocal', 'uniquelocal']);

export function faultOfTrustProxy(value: string): string | null {
  if (/^\d{1,2}$/.test(value)) return null;
  const good = list(value).every((part) => {
    const [address = '', bits = '0', more] = part.split('/');
    const version = isIP(address);
    const width = version === 6 ? 128 : 32;
    return proxyNames.has(part) || (version > 0 && more === undefined && /^\d+$/.test(bits) && Number(bits) <= width);
  });
  return good ? null : 'must be a number of proxies, or addresses and CIDRs separated by commas';
}

/** Returns the value of Express's `trust proxy`. */
export function parseTrustProxy(value: string | undefined): number | string[] | false {
  if (value === undefined || value === '0') return false;
  return /^\d+$/.test(value) ? Number(value) : list(value);
}

/** No installation has more proxies in a row. With more, a client could write the address by which it is counted. */
const MOST_HOPS = 5;
/** The widest ranges of a single network: 10.0.0.0/8, and fc00::/7 for private addresses of IPv6. */
const widest = { ipv4: 8, ipv6: 16, private6: 7 };

/** True when a client could pass for a proxy, because the setting names nearly every address. */
export function trustsEverybody(value = ''): boolean {
  if (/^\d+$/.test(value)) return Number(value) > MOST_HOPS;
  return list(value).some((part) => ipaddr.isValidCIDR(part) && isHuge(...ipaddr.parseCIDR(part)));
}

function isHuge(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean {
  if (address.kind() === 'ipv4') return bits < widest.ipv4;
  const six = address as ipaddr.IPv6;
  // An IPv4 address in the form of IPv6.
  if (six.isIPv4MappedAddress()) return bits - 96 < widest.ipv4;
  return bits < (six.range() === 'uniqueLocal' ? widest.private6 : widest.ipv6);
}
