import ipaddr from 'ipaddr.js';

const prefix = 64;

/** Some proxies write the port of the client behind its address. */
const withPort = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/;

/**
 * Returns an address as throttles count it: a whole IPv4 address, also when it is written inside an IPv6 one; of IPv6
 * the /64 prefix, because one customer has at least that many addresses. All texts that are no address count as one.
 */
export function networkOf(text: string): string {
  const [, bracketed, dotted] = withPort.exec(text) ?? [];
  const address = bracketed ?? dotted ?? text;
  if (!ipaddr.isValid(address)) return '';
  const { kind, bytes, text: whole } = plain(address);
  return kind === 'ipv4' ? whole : `${Buffer.from(bytes.slice(0, prefix / 8)).toString('hex')}/${prefix}`;
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
