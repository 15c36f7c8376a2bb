/**
 * Own sentences for some error codes, with details that only the client knows. A code without a row shows the server's
 * English sentence. Other languages have a row for every code of `contract/errors`.
 */
export const errors = {
  UNKNOWN: 'An error occurred. Please try again.',
  UNREACHABLE: 'Lightbox cannot reach the server. Check your connection and try again.',
  TOO_MANY_REQUESTS_one: 'Too many tries. Please wait a minute, then try again.',
  TOO_MANY_REQUESTS_other: 'Too many tries. Please wait {{count}} minutes, then try again.',
  ACCOUNT_PENDING: 'Your account is under review. We’ll email you when an administrator decides.',
} as const;
