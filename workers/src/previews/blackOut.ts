import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import sharp from 'sharp';
import { decodeRaster } from './decode.js';
import { blackOutDicom, fill } from './dicom/blackOut.js';
import type { BlackedOut, SendPart } from './protocol.js';

/** Bytes that are sent together: less than a frame of the protocol takes, and whole samples. */
const PART = 8 * 1024 * 1024;

/**
 * Blacks out rectangles of a file. The first part has the facts in JSON: of the pixels of a DICOM file, or of the whole new
 * picture. The parts behind it are its bytes.
 */
export async function blackOut(
  bytes: Buffer,
  contentType: string,
  rectangles: readonly BlackRectangle[],
  sendPart: SendPart,
): Promise<BlackedOut> {
  const sendFacts = (facts: object) => sendPart(Buffer.from(JSON.stringify(facts)));
  const sendAll = async (all: Buffer) => {
    for (let at = 0; at < all.length; at += PART) await sendPart(all.subarray(at, at + PART));
  };
  switch (contentType) {
    case 'application/dicom':
      await blackOutDicom(bytes, rectangles, (pixels) => sendFacts({ pixels }), sendAll);
      break;
    case 'image/jpeg':
    case 'image/png': {
      const png = await blackOutPicture(bytes, contentType === 'image/png' ? 'png' : 'jpeg', rectangles);
      await sendFacts({ picture: { length: png.length } });
      await sendAll(png);
      break;
    }
    default:
      throw new Error('no pixels in this type');
  }
  return { done: true };
}

/** Returns a PNG, because it changes no pixel outside of the rectangles. It stands upright, and has no metadata. */
async function blackOutPicture(
  bytes: Buffer,
  format: 'jpeg' | 'png',
  rectangles: readonly BlackRectangle[],
): Promise<Buffer> {
  const picture = await decodeRaster(bytes, format);
  const { depth, space } = await sharp(bytes).metadata();
  const deep = depth === 'ushort';
  const grey = space === 'b-w' || space === 'grey16';
  const colours = deep ? (grey ? 'grey16' : 'rgb16') : grey ? 'b-w' : 'srgb';
  const { data, info } = await picture
    .toColourspace(colours)
    .raw({ depth: deep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const highest = deep ? 0xffff : 0xff;
  // The last of two or of four channels says how opaque a pixel is.
  const black = Array.from({ length: channels }, (_, i) => (channels % 2 === 0 && i === channels - 1 ? highest : 0));
  fill({ bytes: data, rows: height, columns: width, size: deep ? 2 : 1, black }, rectangles);
  const samples = deep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  return sharp(samples, { raw: { width, height, channels } }).toColourspace(colours).png().toBuffer();
}
