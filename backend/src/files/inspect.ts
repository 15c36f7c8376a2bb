import { createHash } from 'node:crypto';
import type { ContentType } from '@lightbox/contract/images/names.js';
import type { DicomFacts } from '@lightbox/contract/images/schemas.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import type { FileFacts } from '@lightbox/core/models/image.js';
import { DeflatedWalker } from './deflated.js';
import { dicomStart, START_BYTES } from './dicomStart.js';
import { DicomWalker } from './dicomWalker.js';
import { readDicomHeader } from './inspectionPool.js';
import { PdfReader } from './pdf.js';
import { JpegReader, PngReader, type Size, type StructureReader } from './raster.js';
import { contradicted, damaged, tooLarge, unsupported } from './rejected.js';
import { contradicts, SNIFF_BYTES, sniff } from './sniff.js';

export interface InspectorOptions {
  declaredType: string | undefined;
  filename: string | undefined;
  maxBytes: number;
}

/** The result of an inspection. The facts are stored with the image, the identity is not. */
export interface Inspected {
  facts: FileFacts;
  /** Empty for a file that is not DICOM. */
  identity: FileIdentity;
}

export interface Inspector {
  /**
   * Takes the next bytes; cheap and synchronous. Throws FileRejected as soon as no acceptable file can begin with them.
   */
  write(chunk: Buffer): void;
  /** True when enough bytes have passed for `sniffed` to be final. */
  readonly canSniff: boolean;
  /** Returns the type by content. Throws FileRejected when it is not accepted, or contradicts the declared type. */
  sniffed(): Promise<ContentType>;
  /** Returns the result, after the last `write`. Throws FileRejected. */
  finish(): Promise<Inspected>;
}

export function createInspector(options: InspectorOptions): Inspector {
  return new StreamInspector(options);
}

class StreamInspector implements Inspector {
  private readonly options: InspectorOptions;
  private readonly hash = createHash('sha256');
  private size = 0;
  private head: Buffer = Buffer.alloc(0);
  private reader: StructureReader<Part> | null = null;
  private type: Promise<ContentType> | null = null;
  private ended = false;
  private failure: unknown = null;

  constructor(options: InspectorOptions) {
    this.options = options;
  }

  get canSniff(): boolean {
    return this.ended || this.head.length >= SNIFF_BYTES;
  }

  write(chunk: Buffer): void {
    try {
      this.accept(chunk);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  private accept(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > this.options.maxBytes) throw tooLarge();
    this.hash.update(chunk);
    if (this.head.length < SNIFF_BYTES) {
      this.head = Buffer.concat([this.head, chunk.subarray(0, SNIFF_BYTES - this.head.length)]);
    }
    this.follow(chunk);
  }

  sniffed(): Promise<ContentType> {
    this.type ??= this.judge();
    return this.type;
  }

  async finish(): Promise<Inspected> {
    if (this.failure) throw this.failure;
    this.ended = true;
    if (this.size === 0) throw damaged('The file is empty.');
    const contentType = await this.sniffed();
    this.startReader();
    const found = await this.reader?.end();
    if (!found) throw damaged();
    const { identity = {}, ...facts } = found;
    return { facts: { contentType, size: this.size, sha256: this.hash.digest('hex'), ...facts }, identity };
  }

  private async judge(): Promise<ContentType> {
    const type = await sniff(this.head);
    if (!type) throw unsupported();
    if (contradicts(type, this.options.declaredType, this.options.filename)) throw contradicted();
    return type;
  }

  /**
   * Passes the chunk to the reader, which must see the file from its first byte: it is chosen as soon as the magic
   * bytes are there.
   */
  private follow(chunk: Buffer): void {
    if (this.reader) this.reader.push(chunk);
    else if (this.size >= START_BYTES) this.startReader(chunk);
  }

  private startReader(last?: Buffer): void {
    if (this.reader) return;
    this.reader = readerFor(this.head);
    // The head still holds all bytes before the current chunk.
    const before = last ? this.head.subarray(0, Math.max(0, this.size - last.length)) : this.head;
    this.reader?.push(before);
    if (last) this.reader?.push(last);
  }
}

type Found = Partial<FileFacts> & { identity?: FileIdentity };
type Part = Found | Promise<Found>;

/** Chooses the reader by the first bytes alone. `sniffed` decides the type of the file. */
function readerFor(head: Buffer): StructureReader<Part> | null {
  if (dicomStart(head)) return new DicomReader();
  if (head.toString('latin1', 0, 3) === '\xff\xd8\xff') return new JpegReader();
  if (head.toString('latin1', 0, 4) === '\x89PNG') return new PngReader();
  if (head.toString('latin1', 0, 5) === '%PDF-') return new PdfReader();
  return new NoReader();
}

class NoReader implements StructureReader<Part> {
  push(): void {}

  end(): Part {
    throw damaged();
  }
}

/** Follows the structure here, and reads the header in a thread. */
class DicomReader implements StructureReader<Part> {
  private readonly walker = new DicomWalker((chunk) => this.followDeflated(chunk));
  private deflated: DeflatedWalker | null = null;

  push(chunk: Buffer): void {
    this.walker.push(chunk);
  }

  async end(): Promise<Found> {
    const walked = this.walker.end();
    const header = await readDicomHeader(this.deflated ? await this.deflated.end() : walked);
    return { ...header, ...sizeOf(header.dicom) };
  }

  private followDeflated(chunk: Buffer): void {
    this.deflated ??= new DeflatedWalker();
    this.deflated.push(chunk);
  }
}

function sizeOf({ columns, rows }: DicomFacts): Partial<Size> {
  return columns && rows ? { width: columns, height: rows } : {};
}
