/**
 * For `readConcern`: the primary's newest state, also writes that a majority does not have yet. Decisions about access
 * read it, because a withdrawn right must end at once, also right after a failover, when a new primary shows a
 * majority's state a little late.
 */
export const NEWEST = 'local';
