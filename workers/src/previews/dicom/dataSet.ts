import { decodeText } from '@lightbox/core/imaging/characters.js';
import { type Encoding, LONG_VR } from '@lightbox/core/imaging/encoding.js';
import { numberShape } from '@lightbox/core/imaging/numbers.js';
import { vrOf } from './dictionary.js';

const UNDEFINED = 0xffffffff;

/** Offset and length in the bytes of the file. */
export type Range = readonly [offset: number, length: number];

export interface Element {
  tag: number;
  vr: string;
  offset: number;
  length: number;
  /** The items of a sequence. */
  items?: DataSet[];
  /** The items of encapsulated pixel data: the offset table first, then the fragments (PS3.5 §A.4). */
  fragments?: Range[];
}

/** More values of one element are not read. */
const VALUES = 100_000;

/** The elements of a data set or of an item of a sequence. Values are read from the file when they are asked for. */
export class DataSet {
  readonly elements = new Map<number, Element>();

  constructor(
    readonly bytes: Buffer,
    readonly big: boolean,
    private readonly parent: DataSet | null,
  ) {}

  has(tag: number): boolean {
    return (this.elements.get(tag)?.length ?? 0) > 0;
  }

  items(tag: number): DataSet[] {
    return this.elements.get(tag)?.items ?? [];
  }

  /** Returns the bytes of a value as they lie in the file. */
  raw(tag: number): Buffer | null {
    const element = this.elements.get(tag);
    if (!element || element.items || element.fragments) return null;
    return this.bytes.subarray(element.offset, element.offset + element.length);
  }

  /** Returns the text of a value, or null when the element is absent or empty. */
  text(tag: number): string | null {
    const raw = this.raw(tag);
    if (!raw) return null;
    const text = decodeText(raw.subarray(0, 1 << 20), this.characterSet())
      .replace(/[\0 \r\n\t]+$/, '')
      .trimStart();
    return text === '' ? null : text;
  }

  texts(tag: number): string[] {
    return (this.text(tag) ?? '').split('\\').map((value) => value.trim());
  }

  /** Returns a code string (VR CS, PS3.5 §6.2) in capitals; null for any other text in its place. */
  code(tag: number): string | null {
    const [value = ''] = (this.text(tag) ?? '').split('\\');
    const code = value.trim().toUpperCase();
    return /^[A-Z0-9_ ]{1,16}$/.test(code) ? code : null;
  }

  /** Returns the numbers of a value, in text or binary. A value that is no number is NaN. */
  numbers(tag: number, vr = this.vr(tag)): number[] {
    const raw = this.raw(tag);
    if (!raw || raw.length === 0) return [];
    const shape = numberShape(vr);
    if (!shape) {
      const texts = raw
        .subarray(0, VALUES * 17)
        .toString('latin1')
        .split('\\', VALUES);
      return texts.map((text) => (/\d/.test(text) ? Number(text.replaceAll('\0', '').trim()) : Number.NaN));
    }
    const [size, method] = shape;
    const read = `${method}${this.big ? 'BE' : 'LE'}` as const;
    const count = Math.min(VALUES, Math.floor(raw.length / size));
    return Array.from({ length: count }, (_, i) => Number(raw[read](i * size)));
  }

  /** Returns the first number of a value, or null when the element is absent or holds none. */
  number(tag: number, vr = this.vr(tag)): number | null {
    const [value] = this.numbers(tag, vr);
    return value !== undefined && Number.isFinite(value) ? value : null;
  }

  vr(tag: number): string {
    const said = this.elements.get(tag)?.vr ?? '';
    return said === '' || said === 'UN' ? vrOf(tag) : said;
  }

  private characterSet(): string[] {
    const raw = this.raw(0x00080005);
    if (raw) return raw.toString('latin1').replaceAll('\0', '').split('\\');
    return this.parent?.characterSet() ?? [];
  }
}

export const PIXEL_DATA = 0x7fe00010;
const ITEM = 0xfffee000;
const ITEM_END = 0xfffee00d;
const SEQUENCE_END = 0xfffee0dd;
const DEPTH = 64;
const ELEMENTS = 600_000;

/** The file cannot be read as DICOM, or its pixels cannot be drawn. */
export class Undrawable extends Error {}

/**
 * Reads the elements of a data set from `at` to the end of `bytes`. It also reads files that break the standard in known
 * ways: an element that is damaged ends the data set, and the elements before it are kept.
 */
export function readDataSet(bytes: Buffer, at: number, encoding: Encoding): DataSet {
  const set = new DataSet(bytes, encoding.big, null);
  try {
    new Reader(bytes).elements(set, at, bytes.length, encoding, 0);
  } catch (error) {
    if (!(error instanceof Undrawable)) throw error;
  }
  return set;
}

/** PS3.5 §6.2.2 note 2: the items of an element of unknown VR. */
const UNKNOWN: Encoding = { implicit: true, big: false };

class Reader {
  private count = 0;

  constructor(private readonly bytes: Buffer) {}

  /** Reads elements into `set` until `end` or the delimiter of an item. Returns the position behind them. */
  elements(set: DataSet, from: number, end: number, encoding: Encoding, depth: number): number {
    let at = from;
    while (at + 8 <= end) {
      const tag = this.tag(at, encoding);
      if (tag === ITEM_END) return at + 8;
      if (tag === SEQUENCE_END) return at;
      this.count += 1;
      if (this.count > ELEMENTS) throw new Undrawable('too many elements');
      at = this.element(set, tag, at, end, encoding, depth);
    }
    return end;
  }

  private element(set: DataSet, tag: number, at: number, end: number, encoding: Encoding, depth: number): number {
    const { vr, length, header } = this.header(at, end, encoding);
    const offset = at + header;
    const element: Element = { tag, vr, offset, length };
    const unknown = isUnknown(vr) && tag !== PIXEL_DATA;
    if (vr === 'SQ' || (vr === '' && vrOf(tag) === 'SQ') || (unknown && length === UNDEFINED)) {
      element.items = [];
      set.elements.set(tag, element);
      return this.items(element, set, end, vr === 'UN' ? UNKNOWN : encoding, depth + 1);
    }
    if (length === UNDEFINED) {
      element.fragments = [];
      set.elements.set(tag, element);
      return this.fragments(element, end, encoding);
    }
    element.length = Math.min(length, end - offset);
    // Of an element that occurs twice, the first is used.
    if (!set.elements.has(tag)) {
      set.elements.set(tag, element);
      if (unknown && vrOf(tag) === 'SQ') this.unknownItems(element, set, end, encoding, depth + 1);
    }
    return offset + element.length;
  }

  /** Reads the items of a sequence of known length that is written as UN, if its bytes are items. Some archives use the encoding of the file. */
  private unknownItems(element: Element, parent: DataSet, end: number, encoding: Encoding, depth: number): void {
    for (const within of [UNKNOWN, encoding]) {
      const tried: Element = { ...element, items: [] };
      try {
        this.items(tried, parent, end, within, depth);
      } catch (error) {
        if (!(error instanceof Undrawable)) throw error;
        continue;
      }
      element.items = tried.items ?? [];
      return;
    }
  }

  private items(element: Element, parent: DataSet, end: number, encoding: Encoding, depth: number): number {
    if (depth > DEPTH) throw new Undrawable('too many sequences in each other');
    const last = element.length === UNDEFINED ? end : Math.min(end, element.offset + element.length);
    let at = element.offset;
    while (at + 8 <= last) {
      const [tag, length] = [this.tag(at, encoding), this.u32(at + 4, encoding)];
      if (tag === SEQUENCE_END) return at + 8;
      if (tag !== ITEM) throw new Undrawable('a sequence without items');
      this.count += 1;
      if (this.count > ELEMENTS) throw new Undrawable('too many items');
      const item = new DataSet(this.bytes, encoding.big, parent);
      element.items?.push(item);
      const itemEnd = length === UNDEFINED ? last : Math.min(last, at + 8 + length);
      const behind = this.elements(item, at + 8, itemEnd, encoding, depth);
      at = length === UNDEFINED ? behind : itemEnd;
    }
    return last;
  }

  private fragments(element: Element, end: number, encoding: Encoding): number {
    let at = element.offset;
    while (at + 8 <= end) {
      const [tag, length] = [this.tag(at, encoding), this.u32(at + 4, encoding)];
      if (tag === SEQUENCE_END) return at + 8;
      if (tag !== ITEM || length === UNDEFINED) throw new Undrawable('pixel data without fragments');
      element.fragments?.push([at + 8, Math.min(length, end - at - 8)]);
      at += 8 + length;
    }
    return end;
  }

  private header(at: number, end: number, encoding: Encoding): { vr: string; length: number; header: number } {
    if (encoding.implicit) return { vr: '', length: this.u32(at + 4, encoding), header: 8 };
    const vr = this.bytes.toString('latin1', at + 4, at + 6);
    if (!/^[A-Z]{2}$/.test(vr)) throw new Undrawable('an element without a VR');
    if (!LONG_VR.has(vr)) return { vr, length: this.u16(at + 6, encoding), header: 8 };
    if (at + 12 > end) throw new Undrawable('the file ends in an element');
    return { vr, length: this.u32(at + 8, encoding), header: 12 };
  }

  private tag(at: number, encoding: Encoding): number {
    return this.u16(at, encoding) * 0x10000 + this.u16(at + 2, encoding);
  }

  private u16(at: number, { big }: Encoding): number {
    return big ? this.bytes.readUInt16BE(at) : this.bytes.readUInt16LE(at);
  }

  private u32(at: number, { big }: Encoding): number {
    return big ? this.bytes.readUInt32BE(at) : this.bytes.readUInt32LE(at);
  }
}

const isUnknown = (vr: string): boolean => vr === '' || vr === 'UN';
