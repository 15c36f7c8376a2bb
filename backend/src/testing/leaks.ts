/** Names of fields that hold what the server keeps to itself. */
const secret =
  /^(password|passwordHash|salt|secret|code|verificationCode|otp|tries|dataKey|keyId|sealed|sha256|blob|words|sortKey|usernameKey|rejectedReason|__v|_id)$/i;
/** What the factories plant in patients: nobody but themselves, their providers and admins reads it. */
const planted = /1980-05-17|AB\+|\+92 300 1234567|LIC-77/;

/** What an answer says that it must not, by the path of the field. */
export function leaks(body: unknown, text = ''): string[] {
  const found = Buffer.isBuffer(body) ? [] : fieldsOf(body).filter((path) => secret.test(path.split('.').at(-1) ?? ''));
  return planted.test(text) ? [...found, 'health fields'] : found;
}

function fieldsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [`${path}.${key}`, ...fieldsOf(inner, `${path}.${key}`)]);
}
