/** Returns the address of the page on which files are sent for a request. The proof stands behind `#`, as in `guestUrl`. */
export const sendUrl = (publicUrl: string, token: string): string => `${publicUrl}/send/${token.replace('.', '#')}`;
