/**
 * For `readConcern`: the primary's newest state, also what a majority does not have yet. Decisions about access ask it, for
 * what was taken back counts at once, also right after a failover, when a new primary shows a majority's state a little late.
 */
export const NEWEST = 'local';
