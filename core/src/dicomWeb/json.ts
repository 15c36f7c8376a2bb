import type { Element } from '../deidentify/elements.js';
import { inLittleEndian } from '../imaging/byteOrder.js';
import { decodeText } from '../imaging/characters.js';
import type { Encoding } from '../imaging/encoding.js';
import { type NumberShape, numberShape } from '../imaging/numbers.js';
import { tagText } from './attributes.js';

/** An element in DICOM's JSON (PS3.18 §F.2). */
export interface JsonElement {
  vr: string;
  Value?: unknown[];
  InlineBinary?: string;
  BulkDataURI?: string;
}
export type JsonDataSet = Record<string, JsonElement>;

/** Reads a data set that this product has written as text. */
export const dataSetIn = (text: string): JsonDataSet => JSON.parse(text);

/** Returns the first value of an element as text; '' when there is none. */
export const firstValue = (set: JsonDataSet, tag: string): string => String(set[tag]?.Value?.[0] ?? '');

export interface Reading {
  /** The VR that the standard gives an element, for encodings that name none; `UN` when it is not known. */
  vrOf: (tag: number, signed: boolean) => string;
  /** Returns the address of a value that is left out, by the tags and items that lead to it. */
  bulkData?: (path: string) => string;
}

const CHARSET = 0x00080005;
const PIXEL_REPRESENTATION = 0x00280103;
/** Bytes of a value that is no text and stands in the header itself. */
const INLINE_BYTES = 1024;
/** The character set of every answer. */
const UTF8 = { vr: 'CS', Value: ['ISO_IR 192'] };

const BINARY = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'UN']);
/** Texts of one value: a backslash belongs to it. */
const LONG_TEXT = new Set(['LT', 'ST', 'UR', 'UT']);
const DECODED = new Set(['LO', 'LT', 'PN', 'SH', 'ST', 'UC', 'UT']);

/** The facts that an item has from the data set around it. */
interface Around {
  big: boolean;
  charsets: readonly string[];
  /** The pixels have a sign (0028,0103), and with them the numbers that are values of pixels. */
  signed: boolean;
}

/** Returns elements of a data set in DICOM's JSON. Texts are decoded by the character set of the file. */
export function jsonOf(
  bytes: Buffer,
  elements: readonly Element[],
  { big }: Pick<Encoding, 'big'>,
  reading: Reading,
): JsonDataSet {
  return new Writer(bytes, reading).dataSet(elements, { big, charsets: [], signed: false }, '');
}

class Writer {
  constructor(
    private readonly bytes: Buffer,
    private readonly reading: Reading,
  ) {}

  dataSet(elements: readonly Element[], outer: Around, path: string): JsonDataSet {
    const around = this.around(elements, outer);
    const set: [string, JsonElement][] = [];
    for (const element of elements) {
      // Group lengths say how the file was encoded, which this is not.
      if ((element.tag & 0xffff) === 0) continue;
      const tag = tagText(element.tag);
      if (element.tag === CHARSET) set.push([tag, UTF8]);
      else set.push([tag, this.element(element, around, path + tag)]);
    }
    return Object.fromEntries(set);
  }

  private around(elements: readonly Element[], outer: Around): Around {
    const charset = elements.find(({ tag }) => tag === CHARSET);
    const sign = elements.find(({ tag, from, to }) => tag === PIXEL_REPRESENTATION && to - from >= 2);
    return {
      ...outer,
      ...(charset ? { charsets: this.latin1(charset).split('\\') } : {}),
      // Zero or one, in either order of bytes.
      ...(sign ? { signed: this.bytes.readUInt16LE(sign.from) !== 0 } : {}),
    };
  }

  private element(element: Element, around: Around, path: string): JsonElement {
    const vr = this.vrOf(element, around);
    if (element.items) {
      const inner = { ...around, big: element.within.big };
      const Value = element.items.map((item, i) => this.dataSet(item, inner, `${path}.${i}.`));
      return Value.length > 0 ? { vr: 'SQ', Value } : { vr: 'SQ' };
    }
    if (element.from === element.to || vr === 'SQ') return { vr };
    if (BINARY.has(vr) || element.undefinedLength) return this.binary(element, vr, path, around);
    const Value = this.values(element, vr, around);
    return Value.some((value) => value !== null) ? { vr, Value } : { vr };
  }

  private vrOf({ tag, vr }: Element, { signed }: Around): string {
    return vr === '' || vr === 'UN' ? this.reading.vrOf(tag, signed) : vr;
  }

  /** Numbers in bytes are little endian, whatever they are in the file (PS3.18 §F.2.7). */
  private binary({ from, to, vr: said }: Element, vr: string, path: string, { big }: Around): JsonElement {
    const { bulkData } = this.reading;
    if (bulkData && to - from > INLINE_BYTES) return { vr, BulkDataURI: bulkData(path) };
    const value = this.bytes.subarray(from, to);
    return { vr, InlineBinary: (big ? inLittleEndian(value, said) : value).toString('base64') };
  }

  private values(element: Element, vr: string, { big, charsets }: Around): unknown[] {
    const raw = this.bytes.subarray(element.from, element.to);
    if (vr === 'AT') return tagsIn(raw, big);
    const shape = numberShape(vr);
    if (shape) return numbersIn(raw, shape, big);
    const text = DECODED.has(vr) ? decodeText(raw, charsets) : raw.toString('latin1');
    if (LONG_TEXT.has(vr)) return [text.replace(/[\0 ]+$/, '')];
    return text.split('\\').map((part) => plainValue(part.replace(/[\0 ]+$/, ''), vr));
  }

  private latin1({ from, to }: Element): string {
    return this.bytes.toString('latin1', from, to).replaceAll('\0', '').trim();
  }
}

function numbersIn(raw: Buffer, [size, method]: NumberShape, big: boolean): unknown[] {
  const read = `${method}${big ? 'BE' : 'LE'}` as const;
  return Array.from({ length: Math.floor(raw.length / size) }, (_, i) => {
    const value = raw[read](i * size);
    if (typeof value === 'bigint') return String(value);
    // JSON has no other numbers.
    return Number.isFinite(value) ? value : null;
  });
}

const tagsIn = (raw: Buffer, big: boolean): string[] =>
  Array.from({ length: Math.floor(raw.length / 4) }, (_, i) => {
    const half = (at: number) => (big ? raw.readUInt16BE(at) : raw.readUInt16LE(at));
    return tagText(half(i * 4) * 0x10000 + half(i * 4 + 2));
  });

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

function plainValue(part: string, vr: string): unknown {
  const text = part.trimStart();
  if (text === '') return null;
  if (vr === 'PN') return personName(part);
  // A number that is none stays as it is written.
  if ((vr === 'DS' || vr === 'IS') && NUMBER.test(text)) return Number(text);
  return vr === 'UI' ? text.trim() : text;
}

/** Returns the three groups of a name (PS3.18 §F.2.2). */
function personName(text: string): Record<string, string> {
  const [Alphabetic, Ideographic, Phonetic] = text.split('=').map((group) => group.trim());
  return {
    ...(Alphabetic ? { Alphabetic } : {}),
    ...(Ideographic ? { Ideographic } : {}),
    ...(Phonetic ? { Phonetic } : {}),
  };
}
