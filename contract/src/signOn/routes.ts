/** The routes that the login page needs, without zod. */
export const signOnRoutes = {
  listSignOn: { method: 'get', path: '/auth/sign-on' },
  beginSignOn: { method: 'post', path: '/auth/sign-on/:provider' },
  finishSignOn: { method: 'post', path: '/auth/sign-on/:provider/finish' },
  finishSignOnStepUp: { method: 'post', path: '/auth/step-up/sign-on/:provider/finish' },
  finishLink: { method: 'post', path: '/auth/identities/:provider/finish' },
} as const;
