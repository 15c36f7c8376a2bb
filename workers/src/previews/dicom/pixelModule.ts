import { limits } from '@lightbox/contract/limits.js';
import { type DataSet, Undrawable } from './dataSet.js';

/** The pixel module of a file (PS3.3 §C.7.6.3). */
export interface PixelModule {
  rows: number;
  columns: number;
  samples: number;
  bitsAllocated: number;
  bitsStored: number;
  highBit: number;
  signed: boolean;
  photometric: string;
  planar: boolean;
}

export function pixelModule(set: DataSet): PixelModule {
  const rows = set.number(0x00280010) ?? 0;
  const columns = set.number(0x00280011) ?? 0;
  const samples = set.number(0x00280002) ?? 1;
  const bitsAllocated = set.number(0x00280100) ?? 0;
  const bitsStored = set.number(0x00280101) ?? bitsAllocated;
  const whole = [rows, columns, samples, bitsAllocated, bitsStored].every(
    (value) => Number.isInteger(value) && value > 0,
  );
  if (!whole || ![1, 3].includes(samples)) throw new Undrawable('no pixel module');
  if (![1, 8, 16, 32, 64].includes(bitsAllocated) || bitsStored > bitsAllocated) throw new Undrawable('unknown bits');
  // Drawing needs about twenty bytes per pixel.
  if (rows * columns > limits.megapixels * 1_000_000) throw new Undrawable('too many pixels');
  return {
    rows,
    columns,
    samples,
    bitsAllocated,
    bitsStored,
    highBit: set.number(0x00280102) ?? bitsStored - 1,
    signed: set.number(0x00280103) === 1,
    photometric: set.code(0x00280004) ?? (samples === 1 ? 'MONOCHROME2' : 'RGB'),
    planar: samples > 1 && set.number(0x00280006) === 1,
  };
}
