// The rules of ids and texts, for the schemas and for screens that check without zod.

/** A MongoDB ObjectId as 24 hexadecimal digits. */
export const idPattern = /^[0-9a-f]{24}$/i;

/** The first date of birth that a person may have. */
export const firstBirthday = '1900-01-01';

/** Characters as the schemas count them: an emoji is one. */
export const lengthOf = (value: string): number => [...value].length;
export const tooLong = (max: number) => `Must be at most ${max} characters.`;
export const notStorable = 'Contains characters that cannot be stored.';

/** False for a text with NUL or unpaired surrogates, which databases do not store faithfully. */
export const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed();
