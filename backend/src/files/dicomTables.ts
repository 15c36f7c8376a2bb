import type { DataSet } from 'dicom-parser';
import { pixelMismatch } from './rejected.js';

/** Red, green and blue: the descriptor of a table, its entries, and its entries in segments (PS3.3 §C.7.9). */
const PALETTES = [
  ['x00281101', 'x00281201', 'x00281221'],
  ['x00281102', 'x00281202', 'x00281222'],
  ['x00281103', 'x00281203', 'x00281223'],
] as const;
/** Modality LUT and VOI LUT (PS3.3 §C.11). */
const SEQUENCES = ['x00283000', 'x00283010'];

/** The walker leaves longer values out of the header, so their entries cannot be counted. */
const LEFT_OUT = 64 * 1024;

/**
 * Throws unless the tables of colour and brightness are as long as their descriptors say: a picture drawn with a
 * shorter one would be wrong.
 */
export function checkTables(set: DataSet, photometric: string | null): void {
  if (photometric === 'PALETTE COLOR') {
    for (const [descriptor, entries, segments] of PALETTES) {
      checkTable(set, descriptor, set.elements[segments] ? null : entries);
    }
  }
  for (const sequence of SEQUENCES) {
    for (const { dataSet } of set.elements[sequence]?.items ?? []) {
      if (dataSet) checkTable(dataSet, 'x00283002', 'x00283006');
    }
  }
}

/**
 * Checks one table. Its descriptor holds the number of entries (0 stands for 65,536), the first mapped value and the
 * bits of an entry.
 */
function checkTable(set: DataSet, descriptor: string, entries: string | null): void {
  if (set.elements[descriptor]?.length !== 6) throw pixelMismatch();
  const count = set.uint16(descriptor, 0) || 65_536;
  const bits = set.uint16(descriptor, 2) ?? 0;
  if (bits < 8 || bits > 16) throw pixelMismatch();
  if (entries === null) return;
  // Entries of 8 bits are packed, or have a word each.
  const least = bits === 8 ? count : count * 2;
  const length = set.elements[entries]?.length ?? (least > LEFT_OUT ? least : 0);
  if (length < least) throw pixelMismatch();
}
