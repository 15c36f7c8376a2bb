import { type PlainPixels, padded } from './values.js';

export const PADDING = 0x00280120;
export const BURNED_IN = 0x00280301;

/** Tag, VR and value of an element, and the value for people. */
type Row = [tag: number, vr: string, value: Buffer, shown: string];

/** Returns the elements that describe new pixels (PS3.3 §C.7.6.3). A padding value of the file itself stays. */
export function moduleOf(
  { bitsAllocated, bitsStored, photometric, samples, padding }: PlainPixels,
  big: boolean,
  hasPadding: boolean,
): Row[] {
  const short = (tag: number, vr: string, value: number): Row => {
    const bytes = Buffer.alloc(2);
    if (big) bytes.writeUInt16BE(value & 0xffff);
    else bytes.writeUInt16LE(value & 0xffff);
    return [tag, vr, bytes, String(value)];
  };
  const code = (tag: number, value: string): Row => [tag, 'CS', padded('CS', value), value];
  return [
    code(0x00280004, photometric),
    ...(samples > 1 ? [short(0x00280006, 'US', 0)] : []),
    short(0x00280100, 'US', bitsAllocated),
    short(0x00280101, 'US', bitsStored),
    short(0x00280102, 'US', bitsStored - 1),
    ...(padding === undefined || hasPadding ? [] : [short(PADDING, 'SS', padding)]),
  ];
}

/** Smallest and largest values, and the places of compressed frames: they are wrong for new pixels. */
export const ofOldPixels = new Set([
  0x00280104, 0x00280105, 0x00280106, 0x00280107, 0x00280108, 0x00280109, 0x00280110, 0x00280111, 0x7fe00001,
  0x7fe00002, 0x7fe00003,
]);
