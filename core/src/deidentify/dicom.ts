import type { BurnedIn, TagChange, TagRow } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { guessBurnedIn } from '../imaging/burnedIn.js';
import { decodeText } from '../imaging/characters.js';
import { DEFLATED, type Encoding, encodingOf, LONG_VR } from '../imaging/encoding.js';
import { implementation } from '../imaging/implementation.js';
import { Changes, type Copy, sizeOf } from './change.js';
import { beginsWithItem, cannotDeidentify, type Element, ElementReader, type Pixels, UNDEFINED } from './elements.js';
import { type Fate, fateOf, mayGo, rowOf } from './fates.js';
import { namingTest } from './naming.js';
import { type Cells, nativePixels } from './nativePixels.js';
import { BURNED_IN, moduleOf, ofOldPixels, PADDING } from './newPixels.js';
import type { Steps } from './steps.js';
import { type Disguise, disguisedUid, dummyOf, movedDates, numbers, padded, pseudonym } from './values.js';

const EXPLICIT: Encoding = { implicit: false, big: false };
/** Transfer syntaxes without compression: implicit, explicit, big endian, Encapsulated Uncompressed, and none at all. */
const UNCOMPRESSED = new Set(['', ...['', '.1', '.2', '.1.98'].map((end) => `1.2.840.10008.1.2${end}`)]);
const METHOD = 'Lightbox: PS3.15 Table E.1-1 2026c Basic Profile';
const VALUE_LENGTH = 256;

const PREAMBLE = 128;
const SYNTAX = 0x00020010;
const CHARSET = 0x00080005;
const INSTANCE = 0x00080018;
const PATIENT_ID = 0x00100020;
const ENCAPSULATED_DOCUMENT = 0x00420011;

/** Attributes whose values name the patient or the order. A kept text that contains one of them is replaced too. */
const NAMES = [0x00100010, 0x00101001, 0x00101060, 0x00080090, 0x00102297];
const NUMBERS = [0x00100020, 0x00101000, 0x00080050];
const TEXT = new Set(['LO', 'LT', 'PN', 'SH', 'ST', 'UC', 'UT']);
const TEXTUAL = new Set([...TEXT, 'AE', 'AS', 'CS', 'DA', 'DS', 'DT', 'IS', 'TM', 'UI', 'UR']);
/** Elements that are joined in one step. */
const JOINED = 64;

const hex = (tag: number): string => tag.toString(16).padStart(8, '0');

/** The file meta information of a file (PS3.10 §7.1), and the bytes that hold it. */
export interface FileMeta {
  bytes: Buffer;
  elements: Element[];
  /** The place behind it. */
  end: number;
  syntax: string;
}

/** Throws `MoreBytes` when the bytes end before the file meta information does, unless they are the whole file. */
export function fileMeta(bytes: Buffer, isWhole: boolean): FileMeta {
  const { elements, end } = new ElementReader(bytes, isWhole).meta(startOf(bytes));
  const named = elements.find(({ tag }) => tag === SYNTAX);
  return { bytes, elements, end, syntax: textOf(bytes, named) };
}

/** The bytes of a data set, from the place `at` on. They may end before it does, unless they are `isWhole`. */
export interface DataSetBytes {
  bytes: Buffer;
  at: number;
  isWhole: boolean;
}

/**
 * De-identifies a DICOM file by its header (PS3.15 Annex E): changes the elements before the pixels, leaves out what is
 * behind or beside them, and keeps the values of the pixels. The transfer syntax stays, but that of a deflated data set
 * becomes plain: its bytes are the unpacked ones. Throws `MoreBytes` when the bytes end before the header does.
 */
export function* deidentifyDicom(
  meta: FileMeta,
  { bytes, at, isWhole }: DataSetBytes,
  disguise: Disguise,
  pixelsEnd: PixelsEnd,
): Steps<Copy> {
  const isDeflated = meta.syntax === DEFLATED;
  const encoding = isDeflated ? EXPLICIT : encodingOf(bytes, at);
  const { elements, pixels } = yield* new ElementReader(bytes, isWhole).dataSet(at, encoding);
  const writer = new Writer(bytes, encoding, disguise, elements, pixels, meta.bytes);
  if (disguise.pixels) return writer.copy([yield* writer.withNewPixels(meta.elements)]);
  // In fragments nobody clears the bits beside the values and the bytes behind the frames.
  if (pixels?.length === null && (isDeflated || UNCOMPRESSED.has(meta.syntax))) throw cannotDeidentify();
  const syntax = isDeflated ? '' : meta.syntax;
  const head = Buffer.concat([writer.meta(meta.elements, syntax), yield* writer.dataSet()]);
  const kept = writer.keptPixels();
  if (!kept) return writer.copy([head]);
  const until = pixelsEnd(kept.pixels, encoding);
  return writer.copy([Buffer.concat([head, kept.head]), [kept.pixels.from, until, kept.cells]]);
}

/** Finds the first byte behind the pixel data. */
export type PixelsEnd = (pixels: Pixels, encoding: Encoding) => number;

const hasPrefix = (bytes: Buffer, at: number): boolean => bytes.toString('latin1', at, at + 4) === 'DICM';

/** Returns where the elements begin: files without preamble, or without anything before the data set, are read too. */
export function startOf(bytes: Buffer): number {
  if (hasPrefix(bytes, PREAMBLE)) return PREAMBLE + 4;
  return hasPrefix(bytes, 0) ? 4 : 0;
}

/** Returns the text of a value without its padding. */
export const textOf = (bytes: Buffer, element: Pick<Element, 'from' | 'to'> | undefined): string =>
  element ? bytes.toString('latin1', element.from, element.to).replace(/[\0 ]+$/, '') : '';

class Writer {
  private readonly changes = new Changes();
  private readonly rows: TagRow[] = [];
  private readonly charsets: string[];
  private readonly isNaming: (text: string) => boolean;
  private readonly days: number;
  /** The first element of each tag. A file may have a tag twice. */
  private readonly firsts = new Map<number, Element>();

  constructor(
    private readonly bytes: Buffer,
    private readonly encoding: Encoding,
    private readonly disguise: Disguise,
    private readonly elements: Element[],
    private readonly pixels: Pixels | null,
    /** The bytes of the file meta information. */
    private readonly metaBytes: Buffer,
  ) {
    for (const element of elements) if (!this.firsts.has(element.tag)) this.firsts.set(element.tag, element);
    if (this.first(ENCAPSULATED_DOCUMENT)) throw cannotDeidentify();
    this.charsets = textOf(bytes, this.first(CHARSET)).split('\\');
    this.days = disguise.days(textOf(bytes, this.first(PATIENT_ID)));
    const textsOf = (tags: readonly number[]) => tags.map((tag) => this.textOf(this.first(tag)));
    this.isNaming = namingTest(textsOf(NAMES), textsOf(NUMBERS));
  }

  copy(parts: Copy['parts']): Copy {
    const { changes, rows } = this;
    return {
      parts,
      size: sizeOf(parts),
      changes: changes.list,
      rows,
      burnedIn: this.burnedIn(),
      big: this.encoding.big,
    };
  }

  private first(tag: number): Element | undefined {
    return this.firsts.get(tag);
  }

  private textOf(element: Element | undefined): string {
    return element
      ? decodeText(this.bytes.subarray(element.from, element.to), this.charsets).replace(/[\0 ]+$/, '')
      : '';
  }

  /** Writes file meta information anew (PS3.10 §7.1): of the old one its class and transfer syntax stay. */
  meta(old: Element[], syntax: string): Buffer {
    const of = (tag: number) =>
      textOf(
        this.metaBytes,
        old.find((element) => element.tag === tag),
      );
    const sopClass = of(0x00020002) || textOf(this.bytes, this.first(0x00080016));
    const before = textOf(this.bytes, this.first(INSTANCE)) || of(0x00020003);
    const instance = disguisedUid(this.disguise, before);
    const { implicit, big } = this.encoding;
    const native = implicit ? '1.2.840.10008.1.2' : big ? '1.2.840.10008.1.2.2' : '1.2.840.10008.1.2.1';
    const values: [number, string, Buffer][] = [
      [0x00020001, 'OB', Buffer.from([0, 1])],
      ...(sopClass ? [[0x00020002, 'UI', padded('UI', sopClass)] as [number, string, Buffer]] : []),
      ...(instance ? [[0x00020003, 'UI', padded('UI', instance)] as [number, string, Buffer]] : []),
      [SYNTAX, 'UI', padded('UI', syntax || native)],
      [0x00020012, 'UI', padded('UI', implementation.classUid)],
      [0x00020013, 'SH', padded('SH', implementation.versionName)],
    ];
    for (const { tag, from, to } of old) {
      if (tag === 0x00020000 || values.some(([kept]) => kept === tag)) continue;
      this.note(tag, { action: 'removed', before: textOf(this.metaBytes, { from, to }).slice(0, VALUE_LENGTH) });
    }
    const written = values.map(([tag, vr, value]) => {
      this.row(tag, vr, vr === 'OB' ? '2 bytes' : value.toString('latin1').replace(/[\0 ]+$/, ''), 0);
      return this.element(tag, vr, value, EXPLICIT);
    });
    const length = Buffer.alloc(4);
    length.writeUInt32LE(written.reduce((sum, one) => sum + one.length, 0));
    const group = this.element(0x00020000, 'UL', length, EXPLICIT);
    return Buffer.concat([Buffer.alloc(PREAMBLE), Buffer.from('DICM'), group, ...written]);
  }

  /** Returns everything before new pixels, in the plain transfer syntax of this encoding. */
  *withNewPixels(meta: Element[]): Steps<Buffer> {
    const { pixels } = this.disguise;
    if (!pixels || !this.pixels) throw cannotDeidentify();
    const set = [this.meta(meta, ''), yield* this.dataSet()];
    const vr = pixels.bitsAllocated > 8 ? 'OW' : 'OB';
    return Buffer.concat([...set, this.head(0x7fe00010, vr, pixels.length + (pixels.length % 2), this.encoding)]);
  }

  /** Returns the pixel data of the copy: their head, and the place and the cells of their bytes in the file. */
  keptPixels(): { head: Buffer; pixels: Pixels; cells?: Cells | undefined } | null {
    if (!this.pixels) return null;
    const { tag, vr, length } = this.pixels;
    if (length === null) return { head: this.head(tag, vr, UNDEFINED, this.encoding), pixels: this.pixels };
    const header = {
      number: (of: number) => this.number(of),
      text: (of: number) => textOf(this.bytes, this.first(of)),
    };
    const { cells, ...kept } = nativePixels({ ...this.pixels, length }, header, this.encoding.big);
    return { head: this.head(tag, vr, kept.length, this.encoding), pixels: { ...this.pixels, ...kept }, cells };
  }

  private number(tag: number): number | undefined {
    const { from, to } = this.first(tag) ?? { from: 0, to: 0 };
    if (to - from < 2) return undefined;
    return this.encoding.big ? this.bytes.readUInt16BE(from) : this.bytes.readUInt16LE(from);
  }

  *dataSet(): Steps<Buffer> {
    const written: { tag: number; bytes: Buffer }[] = [];
    const ofPixels = this.pixelModule();
    const stated = this.saysNoText ? [...added, BURNED_IN] : added;
    const replaced = new Set([...stated, ...ofPixels.map(({ tag }) => tag)]);
    for (const element of this.elements) {
      if (replaced.has(element.tag) || (this.disguise.pixels && ofOldPixels.has(element.tag))) continue;
      const bytes = yield* this.written(element, this.encoding, 0);
      if (bytes) written.push({ tag: element.tag, bytes });
    }
    const all = [...written, ...ofPixels, ...this.statement()].sort((a, b) => a.tag - b.tag);
    const joined: Buffer[] = [];
    for (let at = 0; at < all.length; at += JOINED) {
      joined.push(Buffer.concat(all.slice(at, at + JOINED).map(({ bytes }) => bytes)));
      yield;
    }
    return Buffer.concat(joined);
  }

  /** Returns the elements that describe new pixels. */
  private pixelModule(): { tag: number; bytes: Buffer }[] {
    const { pixels } = this.disguise;
    if (!pixels) return [];
    return moduleOf(pixels, this.encoding.big, Boolean(this.first(PADDING))).map(([tag, vr, value, shown]) => {
      this.row(tag, vr, shown, 0);
      return { tag, bytes: this.element(tag, vr, value, this.encoding) };
    });
  }

  /** Returns the elements that say how the file was de-identified (PS3.15 §E.1.1). */
  private statement(): { tag: number; bytes: Buffer }[] {
    const { encoding } = this;
    const code = (value: string, meaning: string): Buffer =>
      this.item(
        [
          this.element(0x00080100, 'SH', padded('SH', value), encoding),
          this.element(0x00080102, 'SH', padded('SH', 'DCM'), encoding),
          this.element(0x00080104, 'LO', padded('LO', meaning), encoding),
        ],
        encoding,
      );
    const methods = [...methodCodes, ...(this.disguise.cleaned ? [CLEANED] : [])];
    const codes = Buffer.concat(methods.map(([value, meaning]) => code(value, meaning)));
    const values: [number, string, Buffer, string][] = [
      [0x00120062, 'CS', padded('CS', 'YES'), 'YES'],
      [0x00120063, 'LO', padded('LO', METHOD), METHOD],
      [0x00120064, 'SQ', codes, `${methods.length} items`],
      [0x00280303, 'CS', padded('CS', 'MODIFIED'), 'MODIFIED'],
    ];
    if (this.saysNoText) values.push([BURNED_IN, 'CS', padded('CS', 'NO'), 'NO']);
    return values.map(([tag, vr, value, shown]) => {
      this.row(tag, vr, shown, 0);
      return { tag, bytes: this.element(tag, vr, value, encoding) };
    });
  }

  /** A file without pixels has no such attribute. */
  private get saysNoText(): boolean {
    return this.pixels !== null && this.disguise.noTextLeft === true;
  }

  private *written(element: Element, encoding: Encoding, depth: number): Steps<Buffer | null> {
    yield;
    const { tag, start, end, items } = element;
    const named = element.vr === 'UN' ? '' : element.vr;
    const vr = named || rowOf(tag)?.vr || element.vr;
    const decided = this.fate(element, vr);
    const fate = this.hidesItems(element, decided) ? withoutLook(tag) : decided;
    if (fate === 'remove') {
      this.changed(element, vr, 'removed');
      return null;
    }
    if (fate === 'within' && items) {
      this.row(tag, vr || 'SQ', items.length === 1 ? '1 item' : `${items.length} items`, depth);
      return yield* this.sequence(element, items, encoding, depth);
    }
    if (fate === 'keep' || fate === 'within') {
      this.row(tag, vr, this.shown(element, vr), depth);
      return this.bytes.subarray(start, end);
    }
    const after = this.replacement(element, fate, vr);
    const kind = typeof after === 'string' ? after : '';
    const same = typeof after === 'string' && after === textOf(this.bytes, element);
    if (!same)
      this.changed(
        element,
        vr,
        fate === 'date' && kind ? 'shifted' : kind || Buffer.isBuffer(after) ? 'replaced' : 'emptied',
        kind,
      );
    this.row(tag, vr, kind, depth);
    return this.element(tag, element.vr, typeof after === 'string' ? padded(vr, after) : after, encoding);
  }

  /** True for a value that would stay as it is although it looks like a sequence, or must be one: nobody can look inside. */
  private hidesItems(element: Element, fate: Fate): boolean {
    const { items, from, to, undefinedLength } = element;
    if (items || from === to) return false;
    if (fate === 'within') return true;
    // The fragments of an icon are items too.
    if (fate !== 'keep' || undefinedLength) return false;
    return [false, true].some((big) => beginsWithItem(this.bytes, element, { big }));
  }

  private fate(element: Element, vr: string): Fate {
    const fate = fateOf(element.tag, vr, element.items !== undefined);
    if (fate !== 'keep' || element.tag === CHARSET || (vr !== '' && vr !== 'UN' && !TEXT.has(vr))) return fate;
    if (!this.isNaming(this.textOf(element))) return fate;
    return vr === 'UN' ? 'remove' : 'dummy';
  }

  /** Returns the new value, as text or as bytes. */
  private replacement(element: Element, fate: Fate, vr: string): string | Buffer {
    if (element.to === element.from || fate === 'empty') return '';
    const plain = textOf(this.bytes, element);
    if (fate === 'uid') {
      return plain
        .split('\\')
        .map((uid) => disguisedUid(this.disguise, uid.trim()))
        .join('\\');
    }
    if (fate === 'date') return movedDates(vr, plain, this.days) ?? '';
    return element.tag === PATIENT_ID ? pseudonym(this.disguise, plain) : dummyOf(vr);
  }

  private *sequence(
    { tag, vr, undefinedLength, within }: Element,
    items: Element[][],
    outer: Encoding,
    depth: number,
  ): Steps<Buffer> {
    const written: Buffer[] = [];
    for (const item of items) {
      const elements: Buffer[] = [];
      for (const one of item) {
        const bytes = yield* this.written(one, within, depth + 1);
        if (bytes) elements.push(bytes);
      }
      written.push(this.item(elements, within));
    }
    const value = Buffer.concat(written);
    // Bytes of unknown VR are a sequence only by their undefined length.
    if (vr !== 'UN' || !undefinedLength) return this.element(tag, vr, value, outer);
    const end = this.head(0xfffee0dd, '', 0, within);
    return Buffer.concat([this.head(tag, vr, UNDEFINED, outer), value, end]);
  }

  private item(elements: Buffer[], encoding: Encoding): Buffer {
    const value = Buffer.concat(elements);
    return Buffer.concat([this.head(0xfffee000, '', value.length, encoding), value]);
  }

  private element(tag: number, vr: string, value: Buffer, encoding: Encoding): Buffer {
    return Buffer.concat([this.head(tag, vr, value.length, encoding), value]);
  }

  private head(tag: number, vr: string, length: number, { implicit, big }: Encoding): Buffer {
    const long = implicit || vr === '' || LONG_VR.has(vr);
    const named = !implicit && vr !== '';
    const head = Buffer.alloc(named && long ? 12 : 8);
    const u16 = (value: number, at: number) => (big ? head.writeUInt16BE(value, at) : head.writeUInt16LE(value, at));
    u16(tag >>> 16, 0);
    u16(tag & 0xffff, 2);
    if (named) head.write(vr, 4, 'latin1');
    if (!long) u16(length, 6);
    else if (big) head.writeUInt32BE(length, head.length - 4);
    else head.writeUInt32LE(length, head.length - 4);
    return head;
  }

  private changed(element: Element, vr: string, action: TagChange['action'], after?: string): void {
    if (element.to === element.from && !element.items) return;
    this.note(element.tag, {
      action,
      before: this.shown(element, vr),
      ...(after ? { after: after.slice(0, VALUE_LENGTH) } : {}),
    });
  }

  private note(tag: number, change: Pick<TagChange, 'action' | 'before' | 'after'>): void {
    this.changes.add({ tag: hex(tag), keyword: rowOf(tag)?.keyword ?? '', ...change });
  }

  /** Returns a value for people: text, or the number of its bytes or items. */
  private shown(element: Element, vr: string): string {
    const { items, from, to } = element;
    if (items) return items.length === 1 ? '1 item' : `${items.length} items`;
    const raw = this.bytes.subarray(from, to);
    const isText =
      TEXTUAL.has(vr) ||
      ((vr === '' || vr === 'UN') && /^[\x20-\x7e]*\0?$/.test(raw.toString('latin1', 0, VALUE_LENGTH)));
    if (isText) return this.textOf(element).slice(0, VALUE_LENGTH);
    return numbers(raw, vr, element.within.big) ?? `${raw.length} bytes`;
  }

  private row(tag: number, vr: string, value: string, depth: number): void {
    if (this.rows.length >= limits.tagRows) return;
    const keyword = rowOf(tag)?.keyword;
    this.rows.push({
      tag: hex(tag),
      ...(keyword ? { keyword } : {}),
      vr,
      value: value.slice(0, VALUE_LENGTH),
      private: false,
      ...(depth > 0 ? { depth } : {}),
    });
  }

  private burnedIn(): BurnedIn {
    const value = (tag: number) => textOf(this.bytes, this.first(tag)).toUpperCase();
    return guessBurnedIn({
      flag: value(0x00280301),
      modality: value(0x00080060),
      imageType: value(0x00080008).split('\\'),
      conversionType: value(0x00080064),
      hasPixels: Boolean(this.pixels),
    });
  }
}

/** The fate of a sequence that cannot be followed. The file is of no use without one that the table does not let go. */
function withoutLook(tag: number): Fate {
  if (mayGo(tag)) return 'remove';
  throw cannotDeidentify();
}

/** The elements that every copy has, in place of those of the file. */
const added = [0x00120062, 0x00120063, 0x00120064, 0x00280303];

/** CID 7050. */
const methodCodes = [
  ['113100', 'Basic Application Confidentiality Profile'],
  ['113107', 'Retain Longitudinal Temporal Information Modified Dates Option'],
] as const;
const CLEANED = ['113101', 'Clean Pixel Data Option'] as const;
