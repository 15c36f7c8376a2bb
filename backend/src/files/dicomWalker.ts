import { DEFLATED, encodingOf, LONG_VR } from '@lightbox/core/imaging/encoding.js';
import { DicomFragments } from './dicomFragments.js';
import { checkPreamble, dicomStart, hasDicomPrefix, PREAMBLE, partTen, START_BYTES } from './dicomStart.js';
import { damaged, type FileRejected, unreadableDicom } from './rejected.js';

/**
 * Limit of the stored header. Everything before the pixels that is worth reading fits, because values above `BIG_VALUE`
 * are left out.
 */
const HEADER_BYTES = 1024 * 1024;
const BIG_VALUE = 64 * 1024;
const DEPTH = 64;
const ELEMENTS = 500_000;
const UNDEFINED = 0xffffffff;

const IMPLICIT_LITTLE = '1.2.840.10008.1.2';
export const EXPLICIT_LITTLE = '1.2.840.10008.1.2.1';
const EXPLICIT_BIG = '1.2.840.10008.1.2.2';
/** Transfer syntaxes that say nothing but the encoding of the elements; none at all is treated alike. */
const UNPACKED = new Set(['', IMPLICIT_LITTLE, EXPLICIT_LITTLE, EXPLICIT_BIG]);

/** VRs that dicom-parser does not know. The header for it has UN in their place, which is laid out alike. */
const UNKNOWN_TO_PARSER = new Set(['OV', 'SV', 'UV']);

/** PS3.5 §8: Float, Double Float and Pixel Data. */
const PIXELS = new Set([0x7fe00008, 0x7fe00009, 0x7fe00010]);
const ITEM = 0xfffee000;
const ITEM_END = 0xfffee00d;
const SEQUENCE_END = 0xfffee0dd;

export interface PixelData {
  tag: number;
  vr: string;
  /** Bytes, or null when encapsulated (PS3.5 §A.4). */
  length: number | null;
}

export interface Walked {
  /** The transfer syntax that the file names; that of its data set when it names none, or another native one. */
  transferSyntax: string;
  /** Part 10 bytes of what precedes the pixels, without any value above 64 KiB: a complete file for a parser. */
  header: Buffer;
  pixels: PixelData | null;
}

interface Level {
  kind: 'sequence' | 'item';
  /** Position of the first byte after the level, null when a delimiter ends it. */
  end: number | null;
  implicit: boolean;
}

interface ElementHeader {
  tag: number;
  vr: string;
  length: number;
  size: number;
}

/**
 * Follows the element headers of a DICOM file (PS3.10 §7, PS3.5 §7) while it streams past. Checks that lengths fit,
 * that the nesting is not too deep and that all pixel data is there. Reads no value except the transfer syntax. Stores
 * only the header, so a file of any size, also a hostile one, needs the same memory.
 */
export class DicomWalker {
  private position = 0;
  private pending = Buffer.alloc(0);
  private skip = 0;
  private skipKeeps = true;
  private levels: Level[] = [];
  private state: 'prefix' | 'meta' | 'data' | 'deflated' | 'done' = 'prefix';
  private implicit = false;
  private big = false;
  private elements = 0;
  private syntax = '';
  private syntaxBytes: Buffer[] | null = null;
  private metaEnd: number | null = null;
  private kept = Buffer.alloc(16 * 1024);
  private keptBytes = 0;
  /** Position in `kept` of the current element of the outermost level, to leave the element out when it is big. */
  private mark = 0;
  private dropping = false;
  private pixels: PixelData | null = null;
  private fragments: DicomFragments | null = null;
  private readonly onDeflated: ((chunk: Buffer) => void) | undefined;

  /** `onDeflated` gets the bytes after the meta header of a deflated file. Without it such a file is refused. */
  constructor(onDeflated?: (chunk: Buffer) => void) {
    this.onDeflated = onDeflated;
  }

  get transferSyntax(): string {
    return this.syntax;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && this.state !== 'done') rest = this.step(rest);
  }

  end(): Walked {
    // A data set without a header may be shorter than a preamble.
    if (this.state === 'prefix') this.push(this.begin(this.pending));
    const complete =
      this.state === 'deflated' ||
      this.state === 'done' ||
      (this.state === 'data' &&
        !this.fragments &&
        this.skip === 0 &&
        this.pending.length === 0 &&
        this.onlyOpenByLength());
    if (!complete) throw unreadableDicom();
    this.fragments?.check();
    return { transferSyntax: this.syntax, header: this.kept.subarray(0, this.keptBytes), pixels: this.pixels };
  }

  private onlyOpenByLength(): boolean {
    this.closeLevels();
    return this.levels.length === 0;
  }

  private step(chunk: Buffer): Buffer {
    if (this.state === 'deflated') {
      this.onDeflated?.(chunk);
      return chunk.subarray(chunk.length);
    }
    if (this.state === 'prefix') {
      this.pending = Buffer.concat([this.pending, chunk]);
      return this.pending.length < START_BYTES ? chunk.subarray(chunk.length) : this.begin(this.pending);
    }
    if (this.skip > 0) return this.skipValue(chunk);
    // Sixteen bytes hold every element header.
    const wanted = 16;
    return this.pending.length === 0 && chunk.length >= wanted
      ? this.header(chunk, wanted)
      : this.gather(chunk, wanted);
  }

  /** The usual case: the header lies within the chunk, and nothing is copied. */
  private header(chunk: Buffer, wanted: number): Buffer {
    const used = this.readHeader(chunk.subarray(0, wanted));
    this.position += used;
    this.afterValue();
    return chunk.subarray(used);
  }

  /** The header begins in one chunk and ends in another. */
  private gather(chunk: Buffer, wanted: number): Buffer {
    const had = this.pending.length;
    this.pending = Buffer.concat([this.pending, chunk.subarray(0, wanted - had)]);
    const used = this.readHeader(this.pending);
    if (used === 0) return chunk.subarray(Math.min(chunk.length, wanted - had));
    const unused = this.pending.subarray(used, had);
    this.pending = Buffer.alloc(0);
    this.position += used;
    this.afterValue();
    return unused.length > 0 ? Buffer.concat([unused, chunk]) : chunk.subarray(used - had);
  }

  private skipValue(chunk: Buffer): Buffer {
    const used = Math.min(this.skip, chunk.length);
    const value = chunk.subarray(0, used);
    if (this.skipKeeps) this.keep(value);
    this.syntaxBytes?.push(Buffer.from(value));
    this.fragments?.value(value);
    this.skip -= used;
    this.position += used;
    this.afterValue();
    return chunk.subarray(used);
  }

  private afterValue(): void {
    if (this.skip > 0) return;
    if (this.syntaxBytes) {
      this.syntax = Buffer.concat(this.syntaxBytes)
        .toString('latin1')
        .replace(/[\0 ]+$/, '');
      this.syntaxBytes = null;
    }
    if (this.pixels?.length != null) this.state = 'done';
    else if (this.state === 'data') this.closeLevels();
  }

  /** Reads one header from `bytes` and returns its length; 0 when it needs more bytes. */
  private readHeader(bytes: Buffer): number {
    if (bytes.length < 8) return 0;
    if (this.fragments) return this.fragment(this.fragments, bytes);
    if (this.state === 'meta' && bytes.readUInt16LE(0) !== 2) {
      this.state = this.afterMeta(bytes);
      if (this.state === 'deflated') return this.handOver(bytes);
    }
    const header = this.elementHeader(bytes);
    if (!header) return 0;
    this.elements += 1;
    if (this.elements > ELEMENTS) throw unreadableDicom();
    if (this.state === 'meta') this.metaElement(header, bytes);
    else this.dataElement(header, bytes);
    return header.size;
  }

  /** Judges the first bytes of the file, and returns those behind preamble and prefix. */
  private begin(bytes: Buffer): Buffer {
    const start = dicomStart(bytes);
    if (!start) throw unreadableDicom();
    if (hasDicomPrefix(bytes)) checkPreamble(bytes.subarray(0, PREAMBLE));
    this.pending = Buffer.alloc(0);
    this.position = start.at;
    this.state = 'meta';
    return bytes.subarray(start.at);
  }

  /** PS3.10 §7.1: group 2 is always explicit little endian, whatever follows. */
  private metaElement({ tag, vr, length }: ElementHeader, bytes: Buffer): void {
    if (length === UNDEFINED || length > HEADER_BYTES) throw unreadableDicom();
    if (tag === 0x00020000) {
      if (vr !== 'UL' || length !== 4) throw unreadableDicom();
      if (bytes.length >= 12) this.metaEnd = this.position + 12 + bytes.readUInt32LE(8);
    }
    if (tag === 0x00020010) {
      if (length > 64) throw unreadableDicom();
      this.syntaxBytes = [];
    }
    this.skipNext(length, false);
  }

  /** Reads the first element of the data set, and begins the header for the parser in the same encoding. */
  private afterMeta(first: Buffer): 'data' | 'deflated' {
    if (this.metaEnd !== null && this.metaEnd !== this.position) throw unreadableDicom();
    if (this.syntax === DEFLATED) return 'deflated';
    const { implicit, big } = encodingOf(first);
    Object.assign(this, { implicit, big });
    const encoding = implicit ? IMPLICIT_LITTLE : big ? EXPLICIT_BIG : EXPLICIT_LITTLE;
    if (UNPACKED.has(this.syntax)) this.syntax = encoding;
    this.keep(partTen(encoding));
    this.markElement();
    return 'data';
  }

  private handOver(bytes: Buffer): number {
    if (!this.onDeflated) throw unreadableDicom();
    this.onDeflated(Buffer.from(bytes));
    return bytes.length;
  }

  private elementHeader(bytes: Buffer): ElementHeader | null {
    const big = this.big && this.state === 'data';
    const u16 = (at: number) => (big ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at));
    const u32 = (at: number) => (big ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
    const tag = u16(0) * 0x10000 + u16(2);
    const bare = tag === ITEM || tag === ITEM_END || tag === SEQUENCE_END;
    if (bare || (this.state === 'data' && this.isImplicit())) return { tag, vr: '', length: u32(4), size: 8 };
    const vr = bytes.toString('latin1', 4, 6);
    if (!/^[A-Z]{2}$/.test(vr)) throw unreadableDicom();
    // Group length (0002,0000) is read together with its value.
    if (!LONG_VR.has(vr)) return bytes.length < 12 && tag === 0x00020000 ? null : { tag, vr, length: u16(6), size: 8 };
    return bytes.length < 12 ? null : { tag, vr, length: u32(8), size: 12 };
  }

  private isImplicit(): boolean {
    return this.levels.at(-1)?.implicit ?? this.implicit;
  }

  private dataElement(header: ElementHeader, bytes: Buffer): void {
    const { tag, length, size } = header;
    const within = this.levels.at(-1);
    if (!within) this.outermost(header, bytes);
    else {
      this.fits(length, size);
      this.keepHeader(header, bytes);
      if (within.kind === 'sequence') this.inSequence(tag, length, size);
      else if (tag === ITEM_END) this.delimited('item', length);
      else this.value(header);
    }
  }

  private outermost(header: ElementHeader, bytes: Buffer): void {
    const { tag, length } = header;
    // Groups 0 to 3 are for commands and files (PS3.5 §7.8.1), FFFE is for delimiters: no element of a data set has
    // them.
    if (tag < 0x00040000 || tag >= 0xfffe0000) throw unreadableDicom();
    if (PIXELS.has(tag)) {
      this.startPixels(header);
      return;
    }
    if (tag >>> 16 === 4) throw directory();
    this.markElement();
    this.dropping = length !== UNDEFINED && length > BIG_VALUE;
    this.keepHeader(header, bytes);
    this.value(header);
  }

  private value({ tag, vr, length, size }: ElementHeader): void {
    if (tag === ITEM || tag === SEQUENCE_END) throw unreadableDicom();
    // PS3.5 §6.2.2 note 2: UN of undefined length is a sequence in implicit little endian.
    const sequence = vr === 'SQ' || (length === UNDEFINED && (vr === 'UN' || vr === ''));
    if (sequence) this.open('sequence', length, size, this.isImplicit() || vr === 'UN');
    else if (length === UNDEFINED) {
      // Only nested pixel data, of an icon, may be encapsulated; it is read as a sequence of fragments.
      if ((vr !== 'OB' && vr !== 'OW') || !PIXELS.has(tag)) throw unreadableDicom();
      this.open('sequence', length, size, true);
      this.fragmentLevels.add(this.levels.length);
    } else this.skipNext(length, true);
  }

  private readonly fragmentLevels = new Set<number>();

  private inSequence(tag: number, length: number, size: number): void {
    if (tag === SEQUENCE_END) {
      this.fragmentLevels.delete(this.levels.length);
      this.delimited('sequence', length);
    } else if (tag !== ITEM) throw unreadableDicom();
    else if (this.fragmentLevels.has(this.levels.length)) {
      if (length === UNDEFINED) throw unreadableDicom();
      this.skipNext(length, true);
    } else this.open('item', length, size, this.isImplicit());
  }

  private open(kind: Level['kind'], length: number, size: number, implicit: boolean): void {
    if (this.levels.length >= DEPTH) throw unreadableDicom();
    this.levels.push({ kind, end: length === UNDEFINED ? null : this.position + size + length, implicit });
  }

  /** Throws when a nested length reaches past the level that contains it. */
  private fits(length: number, size: number): void {
    const limit = this.levels.findLast((level) => level.end !== null)?.end ?? null;
    const end = this.position + size + (length === UNDEFINED ? 0 : length);
    if (limit !== null && end > limit) throw unreadableDicom();
  }

  private delimited(kind: Level['kind'], length: number): void {
    const level = this.levels.pop();
    if (level?.kind !== kind || length !== 0) throw unreadableDicom();
  }

  private closeLevels(): void {
    while (this.levels.length > 0 && this.levels.at(-1)?.end === this.position) this.levels.pop();
    if (this.levels.length === 0) this.dropping = false;
  }

  private skipNext(length: number, keeps: boolean): void {
    this.skip = length;
    this.skipKeeps = keeps;
  }

  private markElement(): void {
    this.mark = this.keptBytes;
    this.dropping = false;
  }

  private keepHeader({ vr, size }: ElementHeader, bytes: Buffer): void {
    const header = bytes.subarray(0, size);
    const known = UNKNOWN_TO_PARSER.has(vr)
      ? Buffer.concat([header.subarray(0, 4), Buffer.from('UN'), header.subarray(6)])
      : header;
    this.keep(known);
  }

  private keep(bytes: Buffer): void {
    if (this.dropping) return;
    const end = this.keptBytes + bytes.length;
    if (this.state === 'data' && end - this.mark > BIG_VALUE) {
      this.keptBytes = this.mark;
      this.dropping = true;
      return;
    }
    if (end > HEADER_BYTES) throw damaged('The header of the DICOM file is too long.');
    if (end > this.kept.length) this.kept = Buffer.concat([this.kept], Math.max(end, this.kept.length * 2));
    bytes.copy(this.kept, this.keptBytes);
    this.keptBytes = end;
  }

  private startPixels({ tag, vr, length }: ElementHeader): void {
    this.pixels = { tag, vr, length: length === UNDEFINED ? null : length };
    this.dropping = true;
    if (length === UNDEFINED) this.fragments = new DicomFragments();
    else this.skipNext(length, false);
  }

  private fragment(fragments: DicomFragments, bytes: Buffer): number {
    const length = fragments.header(bytes, this.position);
    if (length === null) this.state = 'done';
    else this.skipNext(length, false);
    return 8;
  }
}

const directory = (): FileRejected =>
  damaged('This file is the index of a disc (DICOMDIR). Upload the files that it lists.');
