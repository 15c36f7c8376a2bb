import { crc32 } from 'node:zlib';
import { limits } from '@lightbox/contract/limits.js';
import { damaged, pixelMismatch, tooManyPixels } from './rejected.js';

export interface Size {
  width: number;
  height: number;
}

/** Reads the structure of a file as it passes. `push` may throw; `end` returns the facts or throws. */
export interface StructureReader<Facts> {
  push(chunk: Buffer): void;
  end(): Facts;
}

/** Throws for a picture without pixels, and for one above the limit, which could fill the memory of its decoder. */
function checkSize({ width, height }: Size): void {
  if (width < 1 || height < 1) throw damaged('The picture has no pixels.');
  if (width * height > limits.megapixels * 1_000_000) throw tooManyPixels();
}

/** Collects a header of known length across chunks. `take` returns it and starts the next one. */
class Gather {
  private have = 0;
  private bytes: Buffer;

  constructor(capacity: number) {
    this.bytes = Buffer.alloc(capacity);
  }

  get length(): number {
    return this.have;
  }

  /** Fills up to `length` bytes. Returns the position in the chunk after the used bytes. */
  fill(chunk: Buffer, at: number, length: number): number {
    const used = Math.min(length - this.have, chunk.length - at);
    chunk.copy(this.bytes, this.have, at, at + used);
    this.have += used;
    return at + used;
  }

  take(): Buffer {
    const taken = this.bytes.subarray(0, this.have);
    this.bytes = Buffer.alloc(this.bytes.length);
    this.have = 0;
    return taken;
  }
}

const START_OF_FRAME = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/**
 * Follows the markers of a JPEG (ITU T.81 annex B) from the first to the last byte. So it finds the frame header behind
 * any number of big APPn segments, and the end marker of the picture, not of a thumbnail in its EXIF. Ignores the bytes
 * after the end marker: phones store films and depth maps there.
 */
export class JpegReader implements StructureReader<Size> {
  private state: 'soi' | 'marker' | 'length' | 'segment' | 'entropy' | 'done' = 'soi';
  private gather = new Gather(8);
  private marker = 0;
  private skip = 0;
  private afterFF = false;
  private size: Size | null = null;
  private scans = 0;

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.state !== 'done') at = this.step(chunk, at);
  }

  end(): Size {
    if (this.state !== 'done' || !this.size || this.scans === 0) throw damaged();
    return this.size;
  }

  private step(chunk: Buffer, at: number): number {
    switch (this.state) {
      case 'soi':
        return this.startOfImage(chunk, at);
      case 'marker':
        return this.readMarker(chunk, at);
      case 'length':
        return this.segmentLength(chunk, at);
      case 'segment':
        return this.segmentBody(chunk, at);
      default:
        return this.entropyCoded(chunk, at);
    }
  }

  private startOfImage(chunk: Buffer, at: number): number {
    const next = this.gather.fill(chunk, at, 2);
    if (this.gather.length === 2) {
      if (this.gather.take().readUInt16BE(0) !== 0xffd8) throw damaged();
      this.state = 'marker';
    }
    return next;
  }

  private readMarker(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0;
    if (!this.afterFF) {
      if (byte !== 0xff) throw damaged();
      this.afterFF = true;
    } else if (byte !== 0xff) {
      this.afterFF = false;
      this.enter(byte);
    }
    return at + 1;
  }

  private enter(marker: number): void {
    this.marker = marker;
    if (marker === 0xd9) this.state = 'done';
    else if (marker === 0 || marker === 0xd8) throw damaged();
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) this.state = 'marker';
    else this.state = 'length';
  }

  private segmentLength(chunk: Buffer, at: number): number {
    const wanted = START_OF_FRAME.has(this.marker) ? 7 : 2;
    const next = this.gather.fill(chunk, at, wanted);
    if (this.gather.length < wanted) return next;
    const header = this.gather.take();
    this.skip = header.readUInt16BE(0) - wanted;
    if (this.skip < 0) throw damaged();
    if (wanted === 7) this.frame({ height: header.readUInt16BE(3), width: header.readUInt16BE(5) });
    this.state = 'segment';
    return next;
  }

  private frame(size: Size): void {
    checkSize(size);
    this.size ??= size;
  }

  private segmentBody(chunk: Buffer, at: number): number {
    const used = Math.min(this.skip, chunk.length - at);
    this.skip -= used;
    if (this.skip === 0) {
      const isScan = this.marker === 0xda;
      if (isScan) this.scans += 1;
      this.state = isScan ? 'entropy' : 'marker';
    }
    return at + used;
  }

  private entropyCoded(chunk: Buffer, at: number): number {
    if (!this.afterFF) {
      const found = chunk.indexOf(0xff, at);
      if (found < 0) return chunk.length;
      this.afterFF = true;
      return found + 1;
    }
    const byte = chunk[at] ?? 0;
    // FF00 is a stuffed byte, D0–D7 restart the coder, FF again is padding: all of them stay inside the scan.
    if (byte !== 0xff) {
      this.afterFF = false;
      if (byte !== 0 && !(byte >= 0xd0 && byte <= 0xd7)) this.enter(byte);
    }
    return at + 1;
  }
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The best ratio of deflate (RFC 1951): 258 bytes from two bits. */
const BEST_DEFLATE = 1032;

/** Follows the chunks of a PNG (W3C PNG §5) from IHDR to IEND. */
export class PngReader implements StructureReader<Size> {
  private state: 'signature' | 'header' | 'ihdr' | 'body' | 'done' = 'signature';
  private gather = new Gather(17);
  private skip = 0;
  private type = '';
  private size: Size | null = null;
  private rawBytes = 0;
  private dataBytes = 0;

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.state !== 'done') at = this.step(chunk, at);
  }

  end(): Size {
    if (this.state !== 'done' || !this.size) throw damaged();
    // Refuse a header that declares more pixels than its data could ever unpack to.
    if (this.dataBytes * BEST_DEFLATE < this.rawBytes) throw pixelMismatch();
    return this.size;
  }

  private step(chunk: Buffer, at: number): number {
    if (this.state === 'body') return this.body(chunk, at);
    const wanted = this.state === 'ihdr' ? 17 : 8;
    const next = this.gather.fill(chunk, at, wanted);
    if (this.gather.length === wanted) this.header(this.gather.take());
    return next;
  }

  private header(bytes: Buffer): void {
    if (this.state === 'signature') {
      if (!bytes.equals(PNG_SIGNATURE)) throw damaged();
      this.state = 'header';
    } else if (this.state === 'ihdr') this.ihdr(bytes);
    else this.chunkHeader(bytes.readUInt32BE(0), bytes.toString('latin1', 4, 8));
  }

  private chunkHeader(length: number, type: string): void {
    if (length > 0x7fffffff || !/^[A-Za-z]{4}$/.test(type)) throw damaged();
    if (!this.size) {
      if (type !== 'IHDR' || length !== 13) throw damaged();
      this.state = 'ihdr';
      return;
    }
    if (type === 'IDAT') this.dataBytes += length;
    this.type = type;
    this.skip = length + 4;
    this.state = 'body';
  }

  private ihdr(bytes: Buffer): void {
    const expected = crc32(bytes.subarray(0, 13), crc32('IHDR'));
    const samples = SAMPLES[bytes[9] ?? 255];
    if (bytes.readUInt32BE(13) !== expected || samples === undefined) throw damaged();
    const size = { width: bytes.readUInt32BE(0), height: bytes.readUInt32BE(4) };
    checkSize(size);
    this.size = size;
    this.rawBytes = size.height * Math.ceil((size.width * samples * (bytes[8] ?? 8)) / 8);
    this.state = 'header';
  }

  private body(chunk: Buffer, at: number): number {
    const used = Math.min(this.skip, chunk.length - at);
    this.skip -= used;
    if (this.skip === 0) this.state = this.type === 'IEND' ? 'done' : 'header';
    return at + used;
  }
}
