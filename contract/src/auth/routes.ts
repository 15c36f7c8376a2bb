/**
 * The routes of the public area. They are apart from their schemas, so that a page that only makes these calls does not
 * load zod.
 */
export const authRoutes = {
  register: { method: 'post', path: '/auth/register' },
  login: { method: 'post', path: '/auth/login' },
  confirm: { method: 'post', path: '/auth/confirm' },
  resendCode: { method: 'post', path: '/auth/resend-code' },
  refresh: { method: 'post', path: '/auth/refresh' },
  logout: { method: 'post', path: '/auth/logout' },
  forgotPassword: { method: 'post', path: '/auth/forgot-password' },
  resetPassword: { method: 'post', path: '/auth/reset-password' },
  readInvitation: { method: 'post', path: '/auth/invitation' },
  acceptInvitation: { method: 'post', path: '/auth/invitation/accept' },
  notMe: { method: 'post', path: '/auth/not-me' },
  askPasskey: { method: 'post', path: '/auth/passkey/options' },
  passkeySignIn: { method: 'post', path: '/auth/passkey' },
  demoPeople: { method: 'get', path: '/demo' },
} as const;
