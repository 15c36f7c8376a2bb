/** Returns the parts of a setting that are separated by commas. */
export const list = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
