import { type BinaryLike, createHmac } from 'node:crypto';
import { DAY_MS } from '../times.js';

/** The secrets and the choices of one copy. */
export interface Disguise {
  /** The key of the share: UIDs and pseudonyms are made with it. */
  key: Buffer;
  /** Returns the days by which all dates move, for the Patient ID of the file. */
  days: (patientId: string) => number;
  /** True when text was blacked out in the pixels: the copy says so (option "Clean Pixel Data"). */
  cleaned?: boolean;
  /** The pixels that take the place of those of the file. The caller adds them behind the header. */
  pixels?: PlainPixels;
  /** A person has looked: no text that names anybody is left in the pixels. */
  noTextLeft?: boolean | undefined;
}

/** Plain pixels, which follow each other frame by frame, and the header in the byte order of the file. */
export interface PlainPixels {
  /** Bytes of all frames, without the padding to an even number. */
  length: number;
  bitsAllocated: number;
  bitsStored: number;
  photometric: string;
  samples: number;
  /** The value of the black places, if viewers should leave it out when they choose a window: it is the lowest of all. */
  padding?: number | undefined;
}

const STANDARD_ROOT = '1.2.840.10008.';

export const mac = (key: Buffer, ...parts: BinaryLike[]): Buffer => {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part).update('\0');
  return made.digest();
};

/** Returns the UID that stands for another one in this share (PS3.5 §B.2). UIDs of the standard itself are kept. */
export function disguisedUid({ key }: Pick<Disguise, 'key'>, uid: string): string {
  if (uid === '' || uid.startsWith(STANDARD_ROOT)) return uid;
  return `2.25.${BigInt(`0x${mac(key, 'uid', uid).toString('hex', 0, 16)}`)}`;
}

/** Returns a short name for the patient in this share. */
export const pseudonym = ({ key }: Pick<Disguise, 'key'>, patientId: string): string =>
  `ANON-${mac(key, 'patient', patientId).toString('hex', 0, 5).toUpperCase()}`;

/** Returns the days by which the dates of a patient move: always into the past, and never by less than a month. */
export const daysOf = (secret: Buffer): number => -(30 + (secret.readUInt32BE(0) % 3_620));

/** Moves a date. The parts of a date that the text lacks stay out. Null for a text that is no date. */
function movedDay(year: string, month: string | undefined, day: string | undefined, days: number): string | null {
  const time = Date.UTC(Number(year), Number(month ?? '01') - 1, Number(day ?? '01'));
  const valid = new Date(time);
  if (Number.isNaN(time) || (day && valid.getUTCDate() !== Number(day)) || Number(year) < 1000) return null;
  const moved = new Date(time + days * DAY_MS).toISOString();
  const parts = [moved.slice(0, 4), month && moved.slice(5, 7), day && moved.slice(8, 10)];
  return parts.filter(Boolean).join('');
}

/** Moves the values of a DA or DT element. Returns null when one of them is no date. */
export function movedDates(vr: string, text: string, days: number): string | null {
  const moved = text.split('\\').map((value) => {
    const plain = value.trim();
    if (plain === '') return '';
    const found = vr === 'DT' ? DATE_TIME.exec(plain) : DATE.exec(plain);
    if (!found) return null;
    const [, year = '', month, day, rest = ''] = found;
    const date = movedDay(year, month, day, days);
    return date && date + rest;
  });
  return moved.includes(null) ? null : moved.join('\\');
}
/** PS3.5 §6.2; with points in files of older versions. */
const DATE = /^(\d{4})\.?(\d{2})\.?(\d{2})$/;
const DATE_TIME = /^(\d{4})(?:(\d{2})(?:(\d{2})([\d.]*))?)?(?:[+-]\d{4})?$/;

const zeros = (length: number): Buffer => Buffer.alloc(length);

/** Values that mean nothing, for attributes that must have one. They are ASCII, so they fit every character set. */
const dummies: Record<string, string | Buffer> = {
  AE: 'ANON',
  AS: '000Y',
  CS: 'ANON',
  DA: '19000101',
  DT: '19000101000000',
  TM: '000000',
  DS: '0',
  IS: '0',
  LO: 'REMOVED',
  LT: 'REMOVED',
  PN: 'REMOVED',
  SH: 'REMOVED',
  ST: 'REMOVED',
  UC: 'REMOVED',
  UT: 'REMOVED',
  UR: 'urn:removed',
  AT: zeros(4),
  FL: zeros(4),
  FD: zeros(8),
  SL: zeros(4),
  SS: zeros(2),
  SV: zeros(8),
  UL: zeros(4),
  US: zeros(2),
  UV: zeros(8),
  OD: zeros(8),
  OF: zeros(4),
  OL: zeros(4),
  OV: zeros(8),
};

export const dummyOf = (vr: string): string | Buffer => dummies[vr] ?? zeros(2);

/** Returns a text as the value of an element: of even length, padded as its VR wants (PS3.5 §6.2). */
export const padded = (vr: string, text: string): Buffer =>
  Buffer.from(text.length % 2 === 0 ? text : text + (vr === 'UI' ? '\0' : ' '), 'latin1');

const readers: Record<string, [bytes: number, read: (raw: Buffer, at: number, big: boolean) => number]> = {
  US: [2, (raw, at, big) => (big ? raw.readUInt16BE(at) : raw.readUInt16LE(at))],
  SS: [2, (raw, at, big) => (big ? raw.readInt16BE(at) : raw.readInt16LE(at))],
  UL: [4, (raw, at, big) => (big ? raw.readUInt32BE(at) : raw.readUInt32LE(at))],
  SL: [4, (raw, at, big) => (big ? raw.readInt32BE(at) : raw.readInt32LE(at))],
  FL: [4, (raw, at, big) => (big ? raw.readFloatBE(at) : raw.readFloatLE(at))],
  FD: [8, (raw, at, big) => (big ? raw.readDoubleBE(at) : raw.readDoubleLE(at))],
};
const NUMBERS = 32;

/** Returns the first numbers of a binary value as text; null for a VR that has none. */
export function numbers(raw: Buffer, vr: string, big: boolean): string | null {
  const reader = readers[vr];
  if (!reader) return null;
  const [size, read] = reader;
  const count = Math.min(NUMBERS, Math.floor(raw.length / size));
  return Array.from({ length: count }, (_, i) => read(raw, i * size, big)).join('\\');
}
