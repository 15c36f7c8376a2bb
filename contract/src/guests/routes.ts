/** The routes of a guest's screen. They are apart from their schemas, so that the screen does not load zod. */
export const guestRoutes = {
  askGuestLink: { method: 'post', path: '/guest/state' },
  openGuestLink: { method: 'post', path: '/guest/open' },
  getGuestView: { method: 'get', path: '/guest/view' },
  askGuest: { method: 'get', path: '/guest/alive' },
} as const;
