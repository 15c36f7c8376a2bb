/** Multi-byte numbers by VR: their size, and the method of `Buffer` that reads them, without the order of the bytes. */
const shapes = {
  US: [2, 'readUInt16'],
  SS: [2, 'readInt16'],
  UL: [4, 'readUInt32'],
  SL: [4, 'readInt32'],
  FL: [4, 'readFloat'],
  FD: [8, 'readDouble'],
  OW: [2, 'readUInt16'],
  AT: [2, 'readUInt16'],
  UV: [8, 'readBigUInt64'],
  OV: [8, 'readBigUInt64'],
  SV: [8, 'readBigInt64'],
} as const;

export type NumberShape = (typeof shapes)[keyof typeof shapes];

/** Returns the form of the numbers of a VR; null for a VR whose values are text or bytes. */
export const numberShape = (vr: string): NumberShape | null =>
  Object.hasOwn(shapes, vr) ? shapes[vr as keyof typeof shapes] : null;
