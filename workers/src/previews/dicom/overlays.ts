import type { Overlay } from '@lightbox/contract/images/drawing.js';
import type { DataSet } from './dataSet.js';
import type { Drawn } from './drawn.js';
import type { Film } from './film.js';
import { encodedFrame } from './plainFrame.js';

/** PS3.5 §7.6: overlays are in the even groups from 6000 to 601E. */
const FIRST_GROUP = 0x6000;
const GROUPS = 16;
/** Bytes of all overlays of a file. Overlays beyond them are left out. */
const OVERLAY_BYTES = 2 * 1024 * 1024;

/** Returns the overlays of a film (PS3.3 §C.9.2). An overlay that contradicts itself is left out. */
export function overlaysOf(film: Film): Overlay[] {
  const found: Overlay[] = [];
  let bytes = 0;
  for (let i = 0; i < GROUPS; i++) {
    const overlay = overlayOf(film, ((FIRST_GROUP + i * 2) << 16) >>> 0);
    bytes += overlay?.bits.length ?? 0;
    if (overlay && bytes <= (OVERLAY_BYTES * 4) / 3) found.push(overlay);
  }
  return found;
}

function overlayOf(film: Film, group: number): Overlay | null {
  const { set } = film;
  const [rows, columns] = [set.number(group + 0x10, 'US') ?? 0, set.number(group + 0x11, 'US') ?? 0];
  const [originRow = 1, originColumn = 1] = set.numbers(group + 0x50, 'SS');
  const frames = set.number(group + 0x15, 'IS') ?? 1;
  const count = rows * columns * frames;
  if (count <= 0 || count / 8 > OVERLAY_BYTES || !Number.isInteger(frames)) return null;
  const data = set.raw(group + 0x3000);
  const bits = data ? packedBits(set, data, group + 0x3000) : embeddedBits(film, group, count);
  if (!bits || bits.length * 8 < count) return null;
  return {
    rows,
    columns,
    originRow,
    originColumn,
    ...(set.has(group + 0x15) ? { frames, frameOrigin: set.number(group + 0x51, 'US') ?? 1 } : {}),
    bits: bits.subarray(0, Math.ceil(count / 8)).toString('base64'),
  };
}

/** OW is a stream of 16-bit words (PS3.5 §7.3). */
function packedBits(set: DataSet, data: Buffer, tag: number): Buffer {
  if (!set.big || set.vr(tag) !== 'OW' || data.length % 2 !== 0) return data;
  return Buffer.from(data).swap16();
}

/** Retired: the overlay is one of the bits that the pixels do not use. Read for native single frames. */
function embeddedBits(film: Film, group: number, count: number): Buffer | null {
  const { pixels, frames, set } = film;
  const position = set.number(group + 0x102, 'US') ?? 0;
  const isSingle = frames.count === 1 && !frames.encapsulated && pixels.samples === 1;
  if (!isSingle || pixels.bitsAllocated !== 16 || position >= 16 || count !== pixels.rows * pixels.columns) return null;
  const isUnused = position > pixels.highBit || position <= pixels.highBit - pixels.bitsStored;
  if (!isUnused) return null;
  const words = encodedFrame(film, 0);
  const bits = Buffer.alloc(Math.ceil(count / 8));
  for (let i = 0; i < count; i++) {
    const word = set.big ? words.readUInt16BE(i * 2) : words.readUInt16LE(i * 2);
    bits[i >> 3] = (bits[i >> 3] as number) | (((word >> position) & 1) << (i & 7));
  }
  return bits;
}

/** Draws the overlays of a frame, from 0, in white. */
export function drawOverlays(drawn: Drawn, overlays: readonly Overlay[], frame: number): void {
  for (const overlay of overlays) {
    const { rows, columns, originRow, originColumn, frames = 1, frameOrigin = 1 } = overlay;
    const isForAll = overlay.frames === undefined;
    const plane = isForAll ? 0 : frame + 1 - frameOrigin;
    if (plane < 0 || plane >= frames) continue;
    const bits = Buffer.from(overlay.bits, 'base64');
    for (let i = 0; i < rows * columns; i++) {
      const bit = plane * rows * columns + i;
      if ((((bits[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 0) continue;
      const [x, y] = [(i % columns) + originColumn - 1, Math.floor(i / columns) + originRow - 1];
      if (x < 0 || y < 0 || x >= drawn.width || y >= drawn.height) continue;
      const at = (y * drawn.width + x) * drawn.channels;
      drawn.pixels.fill(255, at, at + drawn.channels);
    }
  }
}
