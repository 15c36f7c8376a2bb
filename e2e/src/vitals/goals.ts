/** The performance goals of the web app. The test of the build and `npm run vitals` use them. */
export const goals = {
  /** The largest allowed size of the JavaScript in the first load of a screen, in bytes as the gateway sends them. */
  // The names of the files have hashes, so the same code differs by 200 bytes after a change of another file.
  scriptBytes: { '/login': 187_500, '/view-images': 300_000, '/messages': 296_500 },
  /** The largest number of scripts in the first load of /login. A slow line pays for each. */
  loginScripts: 12,
  /** The first paint of /login over 500 kbit/s with 400 ms of latency, in milliseconds. */
  slowFirstPaint: 3000,
  /** Largest Contentful Paint, in milliseconds. */
  lcp: 2500,
  /** Cumulative Layout Shift. */
  cls: 0.1,
  /** Interaction to Next Paint, in milliseconds. */
  inp: 200,
} as const;
