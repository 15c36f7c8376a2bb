/** The performance goals of the web app. The test of the build and `npm run vitals` use them. */
export const goals = {
  /** The largest allowed size of the JavaScript in the first load of /login, in compressed bytes. */
  loginScriptBytes: 230_000,
  /** Largest Contentful Paint, in milliseconds. */
  lcp: 2500,
  /** Cumulative Layout Shift. */
  cls: 0.1,
  /** Interaction to Next Paint, in milliseconds. */
  inp: 200,
} as const;
