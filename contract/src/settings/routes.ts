/**
 * The routes of the settings that a page reads before sign-in. They are apart from their schemas, so that the page
 * loads no zod.
 */
export const settingRoutes = {
  getLimits: { method: 'get', path: '/settings/limits' },
} as const;
