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
