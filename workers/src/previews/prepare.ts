import type { FrameFacts, TagRow } from '@lightbox/contract/images/drawing.js';
import { type Drawing, undrawable } from '@lightbox/core/imaging/drawing.js';
import sharp from 'sharp';
import { pageCount, preview, textOf } from './decode.js';
import { prepareDicom } from './dicom/prepareDicom.js';
import type { Prepared, SendPart } from './protocol.js';

/** Draws a file: its preview, how its frames are served, and its tags. */
export async function prepare(bytes: Buffer, contentType: string, sendPart: SendPart): Promise<Prepared> {
  if (contentType === 'application/dicom') return prepareDicom(bytes, sendPart);
  const small = await preview(bytes, contentType).catch(() => null);
  const tags: TagRow[] = [];
  if (!small) return { preview: null, drawing: undrawable, tags };
  const drawing =
    contentType === 'application/pdf' ? await pdfDrawing(bytes) : await pictureDrawing(bytes, contentType);
  return { preview: small, drawing, tags };
}

const plainFacts = { modality: 'OT', windows: [], previewFrame: 1 } satisfies Partial<FrameFacts>;

async function pdfDrawing(bytes: Buffer): Promise<Drawing> {
  return { ...undrawable, facts: { ...plainFacts, kind: 'pdf', frames: await pageCount(bytes) } };
}

/** A browser draws these files itself. Their size is that of the upright picture. */
async function pictureDrawing(bytes: Buffer, contentType: string): Promise<Drawing> {
  const { autoOrient, channels } = await sharp(bytes).metadata();
  const { width: columns, height: rows } = autoOrient;
  return {
    facts: { ...plainFacts, kind: 'picture', frames: 1, rows, columns, samplesPerPixel: (channels ?? 3) >= 3 ? 3 : 1 },
    source: 'file',
    mediaType: contentType,
    frames: [[[0, bytes.length]]],
    text: await textOf(bytes, contentType),
  };
}
