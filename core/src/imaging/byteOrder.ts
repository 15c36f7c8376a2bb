/** The bytes of a number in the values of a VR. All other values are texts or single bytes. */
const words: Record<string, number> = { US: 2, SS: 2, OW: 2, AT: 2, OF: 4, OL: 4, OD: 8, OV: 8 };

/** Returns the number of bytes that change their places with the order of the bytes (PS3.5 §7.3); 1 where none do. */
export const wordOf = (vr: string): number => words[vr] ?? 1;

/** Returns a copy of big endian numbers in little endian. Bytes behind the last whole number stay. */
export function swapped(bytes: Buffer, word: number): Buffer {
  const copy = Buffer.from(bytes);
  const whole = copy.subarray(0, copy.length - (copy.length % word));
  if (word === 2) whole.swap16();
  else if (word === 4) whole.swap32();
  else if (word === 8) whole.swap64();
  return copy;
}

/** Returns a value of a big endian data set in little endian. */
export const inLittleEndian = (value: Buffer, vr: string): Buffer => swapped(value, wordOf(vr));
