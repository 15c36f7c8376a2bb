import { limits } from '@lightbox/contract/limits.js';
import pLimit from 'p-limit';
import { startOf, textOf } from '../deidentify/dicom.js';
import { type Element, ElementReader, MoreBytes, type Pixels } from '../deidentify/elements.js';
import { inSlices } from '../deidentify/steps.js';
import { AppError } from '../errors.js';
import { DEFLATED, type Encoding, encodingOf } from './encoding.js';
import { readInflated } from './inflated.js';
import type { Source } from './source.js';

/** The header of a DICOM file: all that precedes its pixels. */
export interface Head {
  /** The first bytes of the file, or those of its unpacked data set. */
  bytes: Buffer;
  elements: Element[];
  encoding: Encoding;
  pixels: Pixels | null;
  /** The transfer syntax that the file names. */
  syntax: string;
  /** Of a deflated data set: the place of its packed bytes. All other places are in the unpacked ones. */
  deflatedFrom?: number;
}

const SYNTAX = 0x00020010;
/** First bytes of a file that are read for its header; more while the header is not whole. */
const FIRST_BYTES = 256 * 1024;
/** Headers above this are read one at a time, so that a process never holds many large ones. */
const USUAL_BYTES = 1024 * 1024;
const alone = pLimit(1);

/** Reads the header of a DICOM file, and no more of it. Throws `UNREADABLE_FILE` when it cannot be followed. */
export async function readHead(source: Source): Promise<Head> {
  const head = (await headWithin(source, USUAL_BYTES)) ?? (await alone(() => headWithin(source, limits.headerBytes)));
  if (!head) throw new AppError('UNREADABLE_FILE');
  return head;
}

/** Returns null when the header takes more than these bytes. */
async function headWithin(source: Source, most: number): Promise<Head | null> {
  let bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  for (let wanted = FIRST_BYTES; bytes.length < most; wanted *= 4) {
    const to = Math.min(wanted, source.size, most);
    bytes = Buffer.concat([bytes, await source.read(bytes.length, to)]);
    try {
      return await headOf(bytes, source, most);
    } catch (error) {
      if (error instanceof AppError) throw new AppError('UNREADABLE_FILE');
      if (!(error instanceof MoreBytes)) throw error;
    }
  }
  return null;
}

async function headOf(bytes: Buffer, source: Source, most: number): Promise<Head | null> {
  const reader = new ElementReader(bytes, bytes.length >= source.size);
  const { elements: meta, end } = reader.meta(startOf(bytes));
  const named = meta.find(({ tag }) => tag === SYNTAX);
  const syntax = named ? textOf(bytes, named) : '';
  if (syntax === DEFLATED) {
    const encoding = { implicit: false, big: false };
    return readInflated(source, end, { first: FIRST_BYTES, most }, async (set, isWhole) => {
      const found = await inSlices(new ElementReader(set, isWhole).dataSet(0, encoding));
      return { bytes: set, encoding, syntax, deflatedFrom: end, ...found };
    });
  }
  const encoding = encodingOf(bytes, end);
  return { bytes, encoding, syntax, ...(await inSlices(reader.dataSet(end, encoding))) };
}
