/**
 * Returns the short mark of a share, for example `1925`: the end of its id in upper case. Card, dialog and mail show it,
 * so that a person finds the mail of a card. It is no secret.
 */
export const shareMark = (shareId: string): string => shareId.slice(-4).toUpperCase();

/** Returns the time at which a share began: an ObjectId begins with the seconds of its creation. */
export const shareStart = (shareId: string): number => Number.parseInt(shareId.slice(0, 8), 16) * 1000;
