/**
 * Failures that read better here than as the server's English: by code, with what the client knows. A code without a
 * row shows the server's sentence; another language brings a row for every code of `contract/errors`.
 */
export const errors = {
  UNKNOWN: 'An error occurred. Please try again.',
  UNREACHABLE: 'Lightbox cannot reach the server. Check your connection and try again.',
  TOO_MANY_REQUESTS_one: 'Too many tries. Please wait a minute, then try again.',
  TOO_MANY_REQUESTS_other: 'Too many tries. Please wait {{count}} minutes, then try again.',
  ACCOUNT_PENDING: 'Your account is under review. We’ll email you when an administrator decides.',
} as const;
