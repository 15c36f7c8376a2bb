import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LayerFacts } from '@lightbox/backend/annotations/dicom/layer.js';
import { presentationOf } from '@lightbox/backend/annotations/dicom/presentation.js';
import { reportOf } from '@lightbox/backend/annotations/dicom/report.js';
import { headerOf } from '@lightbox/backend/annotations/dicom/values.js';
import { dicomFile } from '@lightbox/backend/annotations/dicom/write.js';
import type { Point } from '@lightbox/contract/annotations/measuring.js';
import type { Mark, MarkKind } from '@lightbox/contract/annotations/schemas.js';
import { AppError } from '@lightbox/core/errors.js';
import { openPictures, type Pictures } from '@lightbox/workers/previews/preview.js';

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
  const out = mkdtempSync(join(tmpdir(), 'lightbox-marks-'));
  const pictures = await openPictures(null);
  try {
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())) {
      const done = await writeExports(pictures, folder, out, name);
      if (done !== 'written') console.log(`${name}: ${done}`);
    }
    const judge = join(import.meta.dirname, '../../src/fidelity/marks.py');
    execFileSync(python, [judge, folder, out], { stdio: 'inherit' });
    return 0;
  } catch (error) {
    if (error instanceof Error && 'status' in error) return 1;
    throw error;
  } finally {
    await pictures.close();
    rmSync(out, { recursive: true });
  }
}

/** Writes the marks as they were drawn, the report, and the presentation state of a file in grey. */
async function writeExports(pictures: Pictures, folder: string, out: string, name: string): Promise<string> {
  const prepared = await pictures.prepare(readFileSync(join(folder, name)), 'application/dicom', async () => undefined);
  if (!prepared) return 'no DICOM';
  const { facts } = prepared.drawing;
  const { rows, columns, frames } = facts;
  if (!rows || !columns) return 'no picture';
  const marks = [...new Set([1, frames])].flatMap((frame) => marksOn(frame, columns, rows));
  try {
    const header = headerOf(prepared.tags);
    const layer: LayerFacts = { id: name, version: 1, updateAt: UPDATED, author: AUTHOR, marks, facts, header };
    writeFileSync(join(out, `${name}.sr`), dicomFile(reportOf(layer)));
    writeFileSync(join(out, `${name}.json`), JSON.stringify({ marks, frames }));
    writeFileSync(join(out, `${name}.gsps`), dicomFile(presentationOf(layer)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code;
  }
  return 'written';
}

const marksOn = (frame: number, columns: number, rows: number): Mark[] =>
  (Object.keys(shapes) as MarkKind[]).map((kind, i) => ({
    id: `00000000-0000-4000-8000-${String(frame * 10 + i).padStart(12, '0')}`,
    kind,
    frame,
    points: shapes[kind].map(([x, y]): [number, number] => [x * (columns - 1), y * (rows - 1)]),
    ...(kind === 'arrow' ? { text: TEXT } : {}),
  }));
