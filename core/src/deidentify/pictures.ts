import { crc32 } from 'node:zlib';
import { Changes, type Copy, type CopyPart, sizeOf } from './change.js';
import { cannotDeidentify } from './elements.js';

const done = (parts: CopyPart[], changes: Changes): Copy => ({
  parts: joined(parts),
  size: sizeOf(parts),
  changes: changes.list,
  rows: [],
  burnedIn: 'unknown',
});

/** Joins ranges that follow each other. */
function joined(parts: CopyPart[]): CopyPart[] {
  const all: CopyPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last && !Buffer.isBuffer(last) && !Buffer.isBuffer(part) && last[1] === part[0]) {
      all[all.length - 1] = [last[0], part[1]];
    } else all.push(part);
  }
  return all;
}

const EXIF = Buffer.from('Exif\0\0', 'latin1');
const ORIENTATION = 0x0112;

/** Returns the Orientation of Exif data (TIFF); 1 when it has none. */
export function orientationOf(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return 1;
  const big = order === 'MM';
  const u16 = (at: number) => (at + 2 <= tiff.length ? (big ? tiff.readUInt16BE(at) : tiff.readUInt16LE(at)) : 0);
  const u32 = (at: number) => (at + 4 <= tiff.length ? (big ? tiff.readUInt32BE(at) : tiff.readUInt32LE(at)) : 0);
  const first = u32(4);
  for (let i = 0; i < u16(first); i++) {
    const entry = first + 2 + i * 12;
    if (u16(entry) === ORIENTATION) return u16(entry + 8) >= 1 && u16(entry + 8) <= 8 ? u16(entry + 8) : 1;
  }
  return 1;
}

/** Exif data with an Orientation and nothing else. */
function onlyOrientation(value: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(ORIENTATION, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(value, 18);
  return tiff;
}

/**
 * Returns a JPEG without metadata: no Exif, comments, profiles or thumbnails, and nothing behind its end. The picture stands
 * upright as before. The compressed pixels stay as they are.
 */
export function deidentifyJpeg(bytes: Buffer): Copy {
  const changes = new Changes();
  const parts: CopyPart[] = [[0, 2]];
  let orientation = 1;
  let at = 2;
  for (;;) {
    if (at + 2 > bytes.length || bytes[at] !== 0xff) throw cannotDeidentify();
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) {
      parts.push([at, at + 2]);
      at += 2;
      break;
    }
    if (at + 4 > bytes.length) throw cannotDeidentify();
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length || end < at + 4) throw cannotDeidentify();
    const payload = bytes.subarray(at + 4, end);
    if (marker === 0xe0 && payload.toString('latin1', 0, 5) === 'JFIF\0' && payload.length >= 14) {
      // Without its thumbnail.
      parts.push(Buffer.from([0xff, 0xe0, 0, 16]), [at + 4, at + 16], Buffer.alloc(2));
    } else if (marker === 0xee && payload.toString('latin1', 0, 5) === 'Adobe' && payload.length >= ADOBE) {
      // The kind of its colours, without what may follow.
      parts.push(Buffer.from([0xff, 0xee, 0, 2 + ADOBE]), [at + 4, at + 4 + ADOBE]);
    } else if (isNeeded(marker)) parts.push([at, end]);
    else {
      if (marker === 0xe1 && payload.subarray(0, 6).equals(EXIF)) orientation = orientationOf(payload.subarray(6));
      changes.add(removed(nameOf(marker), payload));
    }
    at = end;
    if (marker === 0xda) {
      const scanned = endOfScan(bytes, at);
      parts.push([at, scanned]);
      at = scanned;
    }
  }
  if (at < bytes.length) changes.add(removed('behind EOI', bytes.subarray(at)));
  if (orientation !== 1) {
    const tiff = onlyOrientation(orientation);
    const head = Buffer.from([0xff, 0xe1, 0, 2 + EXIF.length + tiff.length]);
    parts.splice(1, 0, Buffer.concat([head, EXIF, tiff]));
  }
  return done(parts, changes);
}

/** Bytes of the APP14 segment of Adobe. */
const ADOBE = 12;

/** True for the segments that the picture itself needs (ITU T.81, Table B.1): frames, tables and scans. */
const isNeeded = (marker: number): boolean =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || (marker >= 0xda && marker <= 0xdf);

function nameOf(marker: number): string {
  if (marker === 0xfe) return 'COM';
  return marker >= 0xe0 && marker <= 0xef ? `APP${marker - 0xe0}` : `FF${marker.toString(16).toUpperCase()}`;
}

/** Returns the position of the marker that ends a scan. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    if (at < 0 || at + 1 >= bytes.length) throw cannotDeidentify();
    const next = bytes[at + 1] as number;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
    at += next === 0xff ? 1 : 2;
  }
}

/** The chunks that the picture itself needs. Colour profiles have texts of their makers. */
const CHUNKS = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'bKGD', 'pHYs']);

/**
 * Returns a PNG without texts, times, Exif data and profiles, and nothing behind its end. The picture stands upright as
 * before.
 */
export function deidentifyPng(bytes: Buffer): Copy {
  const changes = new Changes();
  const parts: CopyPart[] = [[0, 8]];
  let at = 8;
  for (;;) {
    if (at + 12 > bytes.length) throw cannotDeidentify();
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw cannotDeidentify();
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (CHUNKS.has(type)) parts.push([at, end]);
    else {
      const data = bytes.subarray(at + 8, end - 4);
      const orientation = type === 'eXIf' ? orientationOf(data) : 1;
      if (orientation !== 1) parts.push(chunkOf(type, onlyOrientation(orientation)));
      changes.add(removed(type, data));
    }
    at = end;
    if (type === 'IEND') break;
  }
  if (at < bytes.length) changes.add(removed('behind IEND', bytes.subarray(at)));
  return done(parts, changes);
}

/** Returns a chunk of a PNG. */
function chunkOf(type: string, data: Buffer): Buffer {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const VALUE_LENGTH = 256;

function removed(name: string, value: Buffer) {
  const shown = value.subarray(0, VALUE_LENGTH).toString('latin1');
  const readable = /^[\x20-\x7e\0\r\n\t]*$/.test(shown)
    ? shown.replace(/[\0\r\n\t]+/g, ' ').trim()
    : `${value.length} bytes`;
  return { tag: name, keyword: '', action: 'removed' as const, before: readable };
}
