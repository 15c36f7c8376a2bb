/** Returns the text without case and accents, so that a search for `e` finds `É`. */
export const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
