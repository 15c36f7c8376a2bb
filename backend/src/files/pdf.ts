import type { StructureReader } from './raster.js';
import { damaged } from './rejected.js';

/**
 * Largest distance of the end marker from the end of the file: generous, because printers and scanners append bytes.
 */
const TAIL = 64 * 1024;
const OVERLAP = 64;

/** Holds the last bytes of a stream in a buffer of fixed size, and moves them only when it is full. */
class Tail {
  private buffer = Buffer.alloc(2 * TAIL);
  private used = 0;

  push(chunk: Buffer): void {
    const rest = chunk.subarray(-TAIL);
    if (this.used + rest.length > this.buffer.length) {
      this.buffer.copy(this.buffer, 0, this.used - TAIL, this.used);
      this.used = TAIL;
    }
    rest.copy(this.buffer, this.used);
    this.used += rest.length;
  }

  last(bytes: number): Buffer {
    return this.buffer.subarray(Math.max(0, this.used - bytes), this.used);
  }
}

/**
 * Checks only the outside of a PDF (ISO 32000-1 §7.5), because it is stored and never run: it must have objects, a
 * cross-reference and an end marker. Refuses an encrypted PDF, because its readers would not have the password.
 */
export class PdfReader implements StructureReader<Record<never, never>> {
  private tail = new Tail();
  private hasObject = false;
  private encrypted = false;

  push(chunk: Buffer): void {
    const text = Buffer.concat([this.tail.last(OVERLAP), chunk]);
    this.hasObject ||= text.includes(' obj');
    this.encrypted ||= hasEncryptEntry(text);
    this.tail.push(chunk);
  }

  end(): Record<never, never> {
    if (this.encrypted) throw damaged('The PDF is protected by a password.');
    const end = this.tail.last(TAIL);
    if (!this.hasObject || !end.includes('startxref') || !end.includes('%%EOF')) throw damaged();
    return {};
  }
}

/**
 * True for the /Encrypt entry of a trailer, which refers to a dictionary or holds one (§7.5.5). The bare word in a text
 * does neither.
 */
function hasEncryptEntry(bytes: Buffer): boolean {
  for (let at = bytes.indexOf('/Encrypt'); at >= 0; at = bytes.indexOf('/Encrypt', at + 8)) {
    if (/^\/Encrypt\s*(<<|\d+\s+\d+\s+R\b)/.test(bytes.toString('latin1', at, at + OVERLAP - 8))) return true;
  }
  return false;
}
