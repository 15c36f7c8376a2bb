const loopbackHosts = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

export const isLoopback = (host: string): boolean => loopbackHosts.has(host) || /^127(\.\d+){3}$/.test(host);

/**
 * True when the `Host` header names one of these hosts, on any port. A page of another website can let its own name
 * resolve to this machine (DNS rebinding); the header then still contains that name.
 */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  const [, name = ''] = /^(\[[\da-f:]+\]|[^:/?#@[\]\s]+)(?::\d{1,5})?$/i.exec(header ?? '') ?? [];
  return names.includes(name.toLowerCase());
}
