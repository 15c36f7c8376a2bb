/**
 * Whether a request names one of these hosts, on whatever port. A page of another website can have its own name lead to
 * this machine; the `Host` header then still holds that name.
 */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  const [, name = ''] = /^(\[[\da-f:]+\]|[^:/?#@[\]\s]+)(?::\d{1,5})?$/i.exec(header ?? '') ?? [];
  return names.includes(name.toLowerCase());
}
