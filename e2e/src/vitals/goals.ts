/** What the browser's side must keep to. The test of the build and `npm run vitals` read it here. */
export const goals = {
  /** Bytes of JavaScript, compressed, that the first load of /login may take. */
  loginScriptBytes: 230_000,
  /** Milliseconds until the largest part is painted. */
  lcp: 2500,
  /** How far the layout may shift. */
  cls: 0.1,
  /** Milliseconds from an act of a person to the next paint. */
  inp: 200,
} as const;
