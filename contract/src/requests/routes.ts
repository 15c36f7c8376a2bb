/** The routes of a sender's screen. They are apart from their schemas, so that the screen does not load zod. */
export const senderRoutes = {
  openRequest: { method: 'post', path: '/send/open' },
  findSent: { method: 'get', path: '/send/known' },
  clearRequest: { method: 'delete', path: '/send/files' },
  finishRequest: { method: 'post', path: '/send/finish' },
} as const;
