import { clamp } from './clamp.js';
import { type DataSet, Undrawable } from './dataSet.js';
import { tableBytes, tableDescriptor, tableEntries } from './facts.js';

/** Converts YBR_FULL to RGB in place (PS3.3 §C.7.6.3.1.2). Three bytes for each pixel. */
export function rgbFromYbrFull(pixels: Buffer): void {
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const y = pixels[at] as number;
    const b = (pixels[at + 1] as number) - 128;
    const r = (pixels[at + 2] as number) - 128;
    pixels[at] = clamp(y + 1.402 * r);
    pixels[at + 1] = clamp(y - 0.344136 * b - 0.714136 * r);
    pixels[at + 2] = clamp(y + 1.772 * b);
  }
}

/** Converts YBR_PARTIAL to RGB in place: brightness from 16 to 235, colours from 16 to 240. */
export function rgbFromYbrPartial(pixels: Buffer): void {
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const y = 1.1644 * ((pixels[at] as number) - 16);
    const b = (pixels[at + 1] as number) - 128;
    const r = (pixels[at + 2] as number) - 128;
    pixels[at] = clamp(y + 1.596 * r);
    pixels[at + 1] = clamp(y - 0.3917 * b - 0.8129 * r);
    pixels[at + 2] = clamp(y + 2.0173 * b);
  }
}

/** Gives both pixels of each pair their common colour values (Y1 Y2 Cb Cr). */
export function fullFromHalved(halved: Buffer, count: number): Buffer {
  const pixels = Buffer.alloc(count * 3);
  for (let pixel = 0; pixel < count; pixel++) {
    const pair = (pixel >> 1) * 4;
    pixels[pixel * 3] = halved[pair + (pixel & 1)] as number;
    pixels[pixel * 3 + 1] = halved[pair + 2] as number;
    pixels[pixel * 3 + 2] = halved[pair + 3] as number;
  }
  return pixels;
}

/** Changes planes of colours (RRR GGG BBB) into pixels (RGB RGB RGB). `size` is the bytes of a sample. */
export function interleave(planes: Buffer, samples: number, size: number): Buffer {
  const pixels = Buffer.alloc(planes.length);
  const count = Math.floor(planes.length / samples / size);
  for (let sample = 0; sample < samples; sample++) {
    for (let pixel = 0; pixel < count; pixel++) {
      const from = (sample * count + pixel) * size;
      const to = (pixel * samples + sample) * size;
      for (let byte = 0; byte < size; byte++) pixels[to + byte] = planes[from + byte] as number;
    }
  }
  return pixels;
}

/** The palettes of a file: for each colour, the bytes of the values from `first` on. */
export interface Palettes {
  first: number;
  colours: [Uint8Array, Uint8Array, Uint8Array];
}

/** Reads Palette Color Lookup Tables, plain or in segments (PS3.3 §C.7.6.3.1.5, §C.7.9). */
export function readPalettes(set: DataSet): Palettes {
  const [red, green, blue] = [0x00281101, 0x00281102, 0x00281103].map((tag) => paletteOf(set, tag)) as [
    Palette,
    Palette,
    Palette,
  ];
  return { first: red.first, colours: [red.entries, green.entries, blue.entries] };
}

interface Palette {
  first: number;
  entries: Uint8Array;
}

function paletteOf(set: DataSet, descriptor: number): Palette {
  const described = tableDescriptor(set, descriptor, set.number(0x00280103, 'US') === 1);
  if (!described) throw new Undrawable('no palette');
  const { said, first, bits } = described;
  const raw = tableBytes(set, descriptor + 0x100);
  const entries = raw
    ? tableEntries(raw, said, bits)
    : unpackSegments(segmentsOf(set, descriptor + 0x120, bits), said || 65_536, bits > 8 ? 2 : 4);
  if (!entries || entries.length === 0) throw new Undrawable('a palette is too short');
  // Some files hold 8-bit entries in a palette that says 16 bits.
  const shift = bits > 8 && entries.some((entry) => entry > 255) ? bits - 8 : 0;
  return { first, entries: Uint8Array.from(entries, (entry) => Math.min(255, entry >> shift)) };
}

/** Returns the numbers of which segments consist: they have the bits of an entry. */
const segmentsOf = (set: DataSet, tag: number, bits: number): number[] =>
  bits > 8 ? set.numbers(tag, 'US') : Array.from(tableBytes(set, tag) ?? []);

/**
 * Unpacks a segmented palette (PS3.3 §C.7.9.2): runs of entries, lines between entries, and copies of segments. `parts`: the
 * numbers of which the place of a copied segment consists, the lowest first. That place is counted in bytes.
 */
function unpackSegments(words: readonly number[], count: number, parts: 2 | 4): Uint16Array {
  const bytes = 4 / parts;
  const place = (at: number) =>
    words.slice(at, at + parts).reduceRight((sum, part) => sum * 2 ** (8 * bytes) + part, 0) / bytes;
  const entries: number[] = [];
  const copy = (from: number, segments: number, isCopy: boolean): void => {
    let at = from;
    for (let n = 0; n < segments && at + 1 < words.length && entries.length < count; n++) {
      const [kind = 0, length = 0] = [words[at], words[at + 1]];
      at += 2;
      if (kind === 0) {
        entries.push(...words.slice(at, at + length));
        at += length;
      } else if (kind === 1) {
        const [start, end] = [entries.at(-1) ?? 0, words[at] ?? 0];
        for (let i = 1; i <= length; i++) entries.push(Math.round(start + ((end - start) * i) / length));
        at += 1;
      } else if (kind === 2 && !isCopy) {
        copy(place(at), length, true);
        at += parts;
      } else throw new Undrawable('an unknown segment of a palette');
    }
  };
  copy(0, Number.POSITIVE_INFINITY, false);
  return Uint16Array.from(entries.slice(0, count));
}

/** Returns the colours of indexes. Values before and behind the palette have its first and last colour. */
export function coloursOf(indexes: Uint8Array | Uint16Array | Int8Array | Int16Array, palettes: Palettes): Buffer {
  const pixels = Buffer.alloc(indexes.length * 3);
  for (const [colour, entries] of palettes.colours.entries()) {
    const last = entries.length - 1;
    for (let i = 0; i < indexes.length; i++) {
      const entry = (indexes[i] as number) - palettes.first;
      pixels[i * 3 + colour] = entries[Math.max(0, Math.min(last, entry))] as number;
    }
  }
  return pixels;
}
