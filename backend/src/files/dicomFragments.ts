import { pixelMismatch, unreadableDicom } from './rejected.js';

const FRAGMENTS = 500_000;
const TABLE_BYTES = 1024 * 1024;
const UNDEFINED = 0xffffffff;
const ITEM = 0xfffee000;
const SEQUENCE_END = 0xfffee0dd;

/** Follows encapsulated pixel data (PS3.5 §A.4): a basic offset table, fragments, a sequence delimiter. */
export class DicomFragments {
  /** Offsets of the fragments, counted from the first. */
  private readonly starts = new Set<number>();
  private first = -1;
  private table: Buffer[] | null = null;
  private offsets: number[] = [];

  /** Reads the header of an item at `position`. Returns the length of its value; null for the delimiter at the end. */
  header(bytes: Buffer, position: number): number | null {
    const tag = bytes.readUInt16LE(0) * 0x10000 + bytes.readUInt16LE(2);
    const length = bytes.readUInt32LE(4);
    this.readTable();
    if (tag === SEQUENCE_END && length === 0) return null;
    if (tag !== ITEM || length === UNDEFINED) throw unreadableDicom();
    if (this.first < 0) {
      if (length % 4 !== 0 || length > TABLE_BYTES) throw unreadableDicom();
      this.first = position + 8 + length;
      this.table = [];
    } else {
      this.starts.add(position - this.first);
      if (this.starts.size > FRAGMENTS) throw unreadableDicom();
    }
    return length;
  }

  /** Takes bytes of the value of the current item. Keeps those of the offset table. */
  value(bytes: Buffer): void {
    this.table?.push(Buffer.from(bytes));
  }

  /** Throws unless there is a fragment, and each offset of the table is that of one. */
  check(): void {
    if (this.starts.size === 0) throw pixelMismatch();
    if (!this.offsets.every((offset) => this.starts.has(offset))) throw unreadableDicom();
  }

  private readTable(): void {
    if (!this.table) return;
    const table = Buffer.concat(this.table);
    for (let at = 0; at + 4 <= table.length; at += 4) this.offsets.push(table.readUInt32LE(at));
    this.table = null;
  }
}
