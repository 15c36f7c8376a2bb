/**
 * For a write that the primary alone acknowledges, and a failover may take back. Allowed only where a later write with a
 * majority makes it durable too, or its loss means that harmless work is done again or a count is a little lower.
 */
export const onOne = { writeConcern: { w: 1 } } as const;
