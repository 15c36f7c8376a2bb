/** Where the settings are that a page asks for before anybody signs in; apart from their schemas, so that it loads no zod. */
export const settingRoutes = {
  getLimits: { method: 'get', path: '/settings/limits' },
} as const;
