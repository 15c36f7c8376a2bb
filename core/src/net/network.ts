import ipaddr from 'ipaddr.js';

const prefix = 64;

/**
 * Returns an address as throttles count it: a whole IPv4 address, also when it is written inside an IPv6 one; of IPv6
 * the /64 prefix, because one customer has at least that many addresses.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const { kind, bytes, text } = plain(address);
  return kind === 'ipv4' ? text : `${Buffer.from(bytes.slice(0, prefix / 8)).toString('hex')}/${prefix}`;
}

function plain(address: string) {
  const parsed = ipaddr.process(address);
  return { kind: parsed.kind(), bytes: parsed.toByteArray(), text: parsed.toString() };
}

/** True when the address is one of these, or in one of these ranges. An IPv4 address inside an IPv6 one counts as itself. */
export function isWithin(address: string, allowed: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return allowed.some((one) => {
    const [network, bits] = one.includes('/') ? ipaddr.parseCIDR(one) : [ipaddr.process(one), undefined];
    if (network.kind() !== parsed.kind()) return false;
    return parsed.match(network as ipaddr.IPv4, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
  });
}
