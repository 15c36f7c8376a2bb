/**
 * Milliseconds for which a test waits for a condition. Pictures are drawn with a low priority, so a machine with other work
 * takes long for them; on an idle one no test waits that long. A test that is about a time measures it by itself.
 */
export const PATIENCE_MS = 120_000;
