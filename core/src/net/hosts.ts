const loopbackHosts = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

export const isLoopback = (host: string): boolean => loopbackHosts.has(host) || /^127(\.\d+){3}$/.test(host);

/**
 * Whether a request names one of these hosts, on whatever port. A page of another website can have its own name lead to
 * this machine; the `Host` header then still holds that name.
 */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  const [, name = ''] = /^(\[[\da-f:]+\]|[^:/?#@[\]\s]+)(?::\d{1,5})?$/i.exec(header ?? '') ?? [];
  return names.includes(name.toLowerCase());
}
