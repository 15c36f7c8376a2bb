/**
 * Returns the address of a guest link. The proof stands behind `#`: browsers send that part to no server, so it is in no
 * log and in no `Referer`.
 */
export const guestUrl = (publicUrl: string, token: string): string => `${publicUrl}/guest/${token.replace('.', '#')}`;
