import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LayerFacts } from '@lightbox/backend/annotations/dicom/layer.js';
import { presentationOf } from '@lightbox/backend/annotations/dicom/presentation.js';
import { reportOf } from '@lightbox/backend/annotations/dicom/report.js';
import { headerOf } from '@lightbox/backend/annotations/dicom/values.js';
import { dicomFile } from '@lightbox/backend/annotations/dicom/write.js';
import { factsOfFrame, type Point } from '@lightbox/contract/annotations/measuring.js';
import type { Mark, MarkKind } from '@lightbox/contract/annotations/schemas.js';
import { type Frame, pixelsUnder } from '@lightbox/contract/annotations/statistics.js';
import { AppError } from '@lightbox/core/errors.js';
import { openPictures, type Pictures, type Prepared } from '@lightbox/workers/previews/preview.js';
import { viewerFrame } from '@lightbox/workers/testing/viewerFrame.js';
import { judgeFiles } from './judge.js';

/** The text has a backslash, which separates values in other elements, and letters of two scripts. */
const TEXT = 'Fissur \\ Bruch? جوڑ';
const AUTHOR = { firstname: 'Ada', lastname: 'Ünal' };
const UPDATED = new Date('2026-03-04T05:06:07Z');

/** Each kind of mark, with points as parts of the width and the height. */
const shapes: Record<MarkKind, readonly Point[]> = {
  length: [
    [0.1, 0.2],
    [0.4, 0.6],
  ],
  angle: [
    [0.2, 0.2],
    [0.2, 0.6],
    [0.7, 0.7],
  ],
  // The second axis is longer in most pictures: the order of the axes matters.
  ellipse: [
    [0.5, 0.6],
    [0.5, 0.4],
    [0.2, 0.5],
    [0.8, 0.5],
  ],
  probe: [[0.3, 0.7]],
  arrow: [
    [0.6, 0.3],
    [0.8, 0.1],
  ],
};

/**
 * Draws each kind of mark on the first and the last frame of the DICOM files of a folder, writes the layers as
 * structured reports and as presentation states, and has them judged with pydicom, and with dciodvfy where that is
 * installed. Returns the exit status of the judge. Names the files of which there is no export.
 */
export async function judgeMarks(python: string, folder: string): Promise<number> {
  const pictures = await openPictures(null);
  return judgeFiles(python, folder, { program: 'marks.py' }, (name, out) =>
    writeExports(pictures, folder, out, name),
  ).finally(() => pictures.close());
}

/** Writes the marks as they were drawn, the report, and the presentation state of a file in grey. */
async function writeExports(
  pictures: Pictures,
  folder: string,
  out: string,
  name: string,
): Promise<string | undefined> {
  const file = readFileSync(join(folder, name));
  const plain: Buffer[] = [];
  const prepared = await pictures.prepare(
    file,
    'application/dicom',
    async (part) => void plain.push(Buffer.from(part)),
  );
  if (!prepared) return 'no DICOM';
  const { facts } = prepared.drawing;
  const { rows, columns, frames } = facts;
  if (!rows || !columns) return 'no picture';
  const source = prepared.drawing.source === 'file' ? file : Buffer.concat(plain);
  const marks: Mark[] = [];
  for (const frame of new Set([1, frames])) {
    const image = await valuesOf(prepared, source, frame).catch(() => undefined);
    marks.push(...marksOn(frame, columns, rows).map((mark) => measured(mark, image)));
  }
  try {
    const header = headerOf(prepared.tags);
    const layer: LayerFacts = { id: name, version: 1, updateAt: UPDATED, author: AUTHOR, marks, facts, header };
    writeFileSync(join(out, `${name}.sr`), dicomFile(reportOf(layer)));
    writeFileSync(join(out, `${name}.json`), JSON.stringify({ marks, frames }));
    writeFileSync(join(out, `${name}.gsps`), dicomFile(presentationOf(layer)));
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code;
  }
}

/** Returns a frame in grey as the viewer has it, after the slope and the intercept; undefined for other frames. */
async function valuesOf({ drawing }: Prepared, source: Buffer, n: number): Promise<Frame | undefined> {
  const { samplesPerPixel, modalityLut, rescaleSlope = 1, rescaleIntercept = 0 } = factsOfFrame(drawing.facts, n);
  if (samplesPerPixel !== 1 || modalityLut) return undefined;
  const { width, height, values } = await viewerFrame(drawing, source, n - 1);
  const measured = Float64Array.from(values, (value) => value * rescaleSlope + rescaleIntercept);
  return { columns: width, rows: height, getPixelData: () => measured };
}

/** Adds the values of the pixels to a mark, as the viewer of its author does. */
function measured(mark: Mark, image: Frame | undefined): Mark {
  const pixels = image && pixelsUnder(image, mark);
  return pixels ? { ...mark, pixels } : mark;
}

const marksOn = (frame: number, columns: number, rows: number): Mark[] =>
  (Object.keys(shapes) as MarkKind[]).map((kind, i) => ({
    id: `00000000-0000-4000-8000-${String(frame * 10 + i).padStart(12, '0')}`,
    kind,
    frame,
    points: shapes[kind].map(([x, y]): [number, number] => [x * (columns - 1), y * (rows - 1)]),
    ...(kind === 'arrow' ? { text: TEXT } : {}),
  }));
