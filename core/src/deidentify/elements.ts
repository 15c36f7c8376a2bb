import { AppError } from '../errors.js';
import { type Encoding, LONG_VR } from '../imaging/encoding.js';
import { atOnce, type Steps } from './steps.js';

/** An element of a data set, by its place in the bytes that were read. */
export interface Element {
  tag: number;
  /** Empty where the encoding names none. */
  vr: string;
  start: number;
  /** The first byte of the value, and the first byte behind it. */
  from: number;
  to: number;
  /** The first byte behind the element, with the delimiter of an undefined length. */
  end: number;
  undefinedLength: boolean;
  /** The items of a sequence, and their encoding. Absent where they cannot be followed. */
  items?: Element[][];
  within: Encoding;
}

/** The pixel data of a file: nothing of it is read. */
export interface Pixels {
  tag: number;
  /** Empty where the encoding names none. */
  vr: string;
  start: number;
  from: number;
  /** Null when it is encapsulated (PS3.5 §A.4). */
  length: number | null;
}

/** Thrown when the bytes end before the header does. */
export class MoreBytes extends Error {}

export const cannotDeidentify = (): AppError => new AppError('CANNOT_DEIDENTIFY');

const ITEM = 0xfffee000;
const ITEM_END = 0xfffee00d;
const SEQUENCE_END = 0xfffee0dd;
export const UNDEFINED = 0xffffffff;
const DEPTH = 64;
const ELEMENTS = 500_000;
/** PS3.5 §8: Float, Double Float and Pixel Data. */
const PIXELS = new Set([0x7fe00008, 0x7fe00009, 0x7fe00010]);
const IMPLICIT_LITTLE: Encoding = { implicit: true, big: false };

/** True for a value that begins like a sequence. */
export function beginsWithItem(
  bytes: Buffer,
  { from, to }: Pick<Element, 'from' | 'to'>,
  { big }: Pick<Encoding, 'big'>,
): boolean {
  if (to - from < 8) return false;
  return (big ? bytes.readUInt32BE(from) : bytes.readUInt16LE(from) * 0x10000 + bytes.readUInt16LE(from + 2)) === ITEM;
}

/** Reads the elements of a data set up to its pixels. Reads no value, and throws for everything that does not fit. */
export class ElementReader {
  private count = 0;

  /** `isWhole`: nothing follows the bytes. */
  constructor(
    private readonly bytes: Buffer,
    private readonly isWhole: boolean,
  ) {}

  /** Reads file meta information (PS3.10 §7.1): explicit little endian, whatever follows. */
  meta(at: number): { elements: Element[]; end: number } {
    const elements: Element[] = [];
    let end = at;
    while (this.isAt(end) && this.bytes.readUInt16LE(end) === 2) {
      const element = atOnce(this.element(end, { implicit: false, big: false }, this.bytes.length, 0));
      elements.push(element);
      end = element.end;
    }
    return { elements, end };
  }

  /** Reads the outermost elements up to the pixel data. */
  *dataSet(at: number, encoding: Encoding): Steps<{ elements: Element[]; pixels: Pixels | null }> {
    const elements: Element[] = [];
    let end = at;
    while (this.isAt(end)) {
      const { tag, vr, length, from } = this.head(end, encoding);
      if (PIXELS.has(tag)) {
        return { elements, pixels: { tag, vr, start: end, from, length: length === UNDEFINED ? null : length } };
      }
      // Groups 0 to 3 are for commands and files (PS3.5 §7.8.1), FFFE is for delimiters.
      if (tag < 0x00040000 || tag >= 0xfffe0000) throw cannotDeidentify();
      const element = yield* this.element(end, encoding, Number.MAX_SAFE_INTEGER, 0);
      elements.push(element);
      end = element.end;
    }
    return { elements, pixels: null };
  }

  /** False at the end of the file. */
  private isAt(at: number): boolean {
    if (this.isWhole && at >= this.bytes.length) return false;
    this.need(at, 8);
    return true;
  }

  private need(at: number, length: number): void {
    if (at + length > this.bytes.length) throw this.isWhole ? cannotDeidentify() : new MoreBytes();
  }

  private head(at: number, { implicit, big }: Encoding) {
    this.need(at, 8);
    const { bytes } = this;
    const u16 = (from: number) => (big ? bytes.readUInt16BE(from) : bytes.readUInt16LE(from));
    const u32 = (from: number) => (big ? bytes.readUInt32BE(from) : bytes.readUInt32LE(from));
    const tag = u16(at) * 0x10000 + u16(at + 2);
    if (implicit || tag >>> 16 === 0xfffe) return { tag, vr: '', length: u32(at + 4), from: at + 8 };
    const vr = bytes.toString('latin1', at + 4, at + 6);
    if (!/^[A-Z]{2}$/.test(vr)) throw cannotDeidentify();
    if (!LONG_VR.has(vr)) return { tag, vr, length: u16(at + 6), from: at + 8 };
    this.need(at, 12);
    return { tag, vr, length: u32(at + 8), from: at + 12 };
  }

  private *element(start: number, encoding: Encoding, limit: number, depth: number): Steps<Element> {
    this.count += 1;
    yield;
    if (this.count > ELEMENTS || depth > DEPTH) throw cannotDeidentify();
    const { tag, vr, length, from } = this.head(start, encoding);
    const undefinedLength = length === UNDEFINED;
    // PS3.5 §6.2.2 note 2: an element of unknown VR has its items in implicit little endian.
    const within = vr === 'UN' ? IMPLICIT_LITTLE : encoding;
    const base = { tag, vr, start, from, undefinedLength, within };
    if (!undefinedLength) {
      const to = from + length;
      if (to > limit) throw cannotDeidentify();
      this.need(from, length);
      const found = yield* this.definedItems(vr, from, to, [within, encoding], depth);
      return { ...base, to, end: to, ...found };
    }
    if (vr === 'OB' || vr === 'OW') {
      const { to, end } = this.fragments(from, limit, encoding);
      return { ...base, to, end };
    }
    if (vr !== 'SQ' && vr !== 'UN' && vr !== '') throw cannotDeidentify();
    const { items, to } = yield* this.items(from, limit, within, depth, true);
    return { ...base, to, end: to + 8, items };
  }

  /**
   * Returns the items of a value of known length, and their encoding; nothing for a value that has none. Encodings without
   * a VR do not tell. Some archives write items as UN in the encoding of the file, so each of `encodings` is tried.
   */
  private *definedItems(
    vr: string,
    from: number,
    to: number,
    encodings: readonly [Encoding, Encoding],
    depth: number,
  ): Steps<Pick<Element, 'items' | 'within'> | null> {
    const [said] = encodings;
    if (vr === 'SQ') return { items: (yield* this.items(from, to, said, depth, false)).items, within: said };
    if (vr !== 'UN' && vr !== '') return null;
    for (const within of new Set(encodings)) {
      if (!beginsWithItem(this.bytes, { from, to }, within)) continue;
      try {
        return { items: (yield* this.items(from, to, within, depth, false)).items, within };
      } catch {
        // Items in another encoding, damaged ones, or bytes that only begin like an item.
      }
    }
    return null;
  }

  private *items(
    from: number,
    limit: number,
    encoding: Encoding,
    depth: number,
    delimited: boolean,
  ): Steps<{ items: Element[][]; to: number }> {
    const items: Element[][] = [];
    let at = from;
    while (delimited || at < limit) {
      const { tag, length, from: first } = this.head(at, encoding);
      if (delimited && tag === SEQUENCE_END) return { items, to: at };
      if (tag !== ITEM) throw cannotDeidentify();
      const undefinedLength = length === UNDEFINED;
      const end = undefinedLength ? limit : first + length;
      if (end > limit) throw cannotDeidentify();
      const item: Element[] = [];
      at = first;
      while (undefinedLength ? this.head(at, encoding).tag !== ITEM_END : at < end) {
        const element = yield* this.element(at, encoding, end, depth + 1);
        item.push(element);
        at = element.end;
      }
      if (undefinedLength) at += 8;
      else if (at !== end) throw cannotDeidentify();
      items.push(item);
    }
    if (at !== limit) throw cannotDeidentify();
    return { items, to: at };
  }

  /** Returns the end of nested encapsulated pixel data, of an icon. */
  private fragments(from: number, limit: number, encoding: Encoding): { to: number; end: number } {
    let at = from;
    for (;;) {
      const { tag, length, from: first } = this.head(at, encoding);
      if (tag === SEQUENCE_END) return { to: at, end: at + 8 };
      if (tag !== ITEM || length === UNDEFINED || first + length > limit) throw cannotDeidentify();
      at = first + length;
    }
  }
}
