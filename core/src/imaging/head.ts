import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { limits } from '@lightbox/contract/limits.js';
import type { Source } from '../deidentify/copy.js';
import { startOf, textOf } from '../deidentify/dicom.js';
import { type Element, ElementReader, MoreBytes, type Pixels } from '../deidentify/elements.js';
import { inSlices } from '../deidentify/steps.js';
import { AppError } from '../errors.js';
import { type Encoding, encodingOf } from './encoding.js';

/** The header of a DICOM file: all that precedes its pixels. */
export interface Head {
  /** The first bytes of the file, or those of its inflated data set. */
  bytes: Buffer;
  elements: Element[];
  encoding: Encoding;
  pixels: Pixels | null;
  /** The transfer syntax that the file names. */
  syntax: string;
  /** The data set was deflated: `bytes` are the whole of it, and the places are not those of the file. */
  inflated: boolean;
}

const DEFLATED = '1.2.840.10008.1.2.1.99';
const SYNTAX = 0x00020010;
/** First bytes of a file that are read for its header; more while the header is not whole. */
const FIRST_BYTES = 256 * 1024;

/** Reads the header of a DICOM file, and no more of it. Throws `UNREADABLE_FILE` when it cannot be followed. */
export async function readHead(source: Source): Promise<Head> {
  let bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  for (let wanted = FIRST_BYTES; bytes.length < limits.headerBytes; wanted *= 4) {
    const to = Math.min(wanted, source.size, limits.headerBytes);
    bytes = Buffer.concat([bytes, await source.read(bytes.length, to)]);
    try {
      const head = await headOf(bytes, bytes.length >= source.size);
      if (head) return head;
    } catch (error) {
      if (error instanceof AppError) break;
      if (!(error instanceof MoreBytes)) throw error;
    }
  }
  throw new AppError('UNREADABLE_FILE');
}

/** Returns the header; null for a deflated file of which more is needed. */
async function headOf(bytes: Buffer, isWhole: boolean): Promise<Head | null> {
  const reader = new ElementReader(bytes, isWhole);
  const { elements: meta, end } = reader.meta(startOf(bytes));
  const named = meta.find(({ tag }) => tag === SYNTAX);
  const syntax = named ? textOf(bytes, named) : '';
  if (syntax === DEFLATED) {
    if (!isWhole) return null;
    const inflated = await inflate(bytes.subarray(end));
    const encoding = { implicit: false, big: false };
    const set = await inSlices(new ElementReader(inflated, true).dataSet(0, encoding));
    return { bytes: inflated, encoding, syntax, inflated: true, ...set };
  }
  const encoding = encodingOf(bytes, end);
  return { bytes, encoding, syntax, inflated: false, ...(await inSlices(reader.dataSet(end, encoding))) };
}

const inflateInThread = promisify<Buffer, object, Buffer>(inflateRaw);

/** Inflates a data set, in a thread of Node's pool. A damaged or too large one is a fault of the file. */
async function inflate(deflated: Buffer): Promise<Buffer> {
  try {
    return await inflateInThread(deflated, { maxOutputLength: limits.dicomInflatedBytes });
  } catch {
    throw new AppError('UNREADABLE_FILE');
  }
}
