import { inflateRawSync } from 'node:zlib';
import type { BurnedIn, TagChange, TagRow } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Cells, clearCells } from './nativePixels.js';

/** Part of a copy: literal bytes, or a range of the original, of whose cells only the values belong to the copy. */
export type CopyPart = Buffer | readonly [from: number, to: number, cells?: Cells | undefined];

/** A copy without identity: the parts of its bytes, and how it differs from the original. */
export interface Copy {
  parts: CopyPart[];
  size: number;
  changes: TagChange[];
  /** The elements of the copy, for a DICOM file. */
  rows: TagRow[];
  burnedIn: BurnedIn;
  /** True for a DICOM file whose numbers have their highest byte first. */
  big?: boolean;
  /** Of a deflated data set: the place of its packed bytes in the original. The ranges are of the unpacked ones. */
  deflatedFrom?: number;
}

export const sizeOf = (parts: readonly CopyPart[]): number =>
  parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part[1] - part[0]), 0);

/** Returns the bytes of a copy of which the whole original is in memory. */
export function wholeCopy({ parts, deflatedFrom }: Pick<Copy, 'parts' | 'deflatedFrom'>, original: Buffer): Buffer {
  const ranges = deflatedFrom === undefined ? original : inflateRawSync(original.subarray(deflatedFrom));
  return Buffer.concat(
    parts.map((part) => {
      if (Buffer.isBuffer(part)) return part;
      const [from, to, cells] = part;
      const bytes = ranges.subarray(from, to);
      return cells ? clearCells(Buffer.from(bytes), cells) : bytes;
    }),
  );
}

/** Gathers the changes of a file: each difference once, as many as a document takes. */
export class Changes {
  readonly list: TagChange[] = [];
  private readonly seen = new Set<string>();

  add(change: TagChange): void {
    if (this.list.length >= limits.tagRows) return;
    const key = JSON.stringify(change);
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.list.push(change);
  }
}
