/** An error's code, in words: what happened, what is safe, what to do. Codes without a row show the server's message. */
export const errors = {
  UNKNOWN: 'An error occurred. Please try again.',
  UNREACHABLE: 'The server cannot be reached. Check your connection and try again.',
} as const;
