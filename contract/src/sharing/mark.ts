/**
 * Returns the short mark of a share, for example `1925`: the end of its id in upper case. Card, dialog and mail show it,
 * so that a person finds the mail of a card. It is no secret.
 */
export const shareMark = (shareId: string): string => shareId.slice(-4).toUpperCase();
