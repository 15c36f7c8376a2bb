// `npm run fidelity [-- FOLDER] [-- --browser [--webgl]] [-- --deidentified] [-- --blackout] [-- --marks]`: compares the
// product's pictures of DICOM files with those of pydicom, as previews and as the frames that a browser gets. With
// `--browser` it compares the canvas of the viewer in Chromium, without WebGL or with it. With `--deidentified` it judges
// the copies without identity instead, and with `--blackout` those in which a place is black. With `--marks` it judges the
// exports of marks. Without a folder it takes the test files of pydicom and pydicom-data. Prints a table, and exits with 1
// after a difference. It needs Python, and installs pydicom in a folder of its own. See docs/architecture.md.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openPictures, type Pictures, type Prepared } from '@lightbox/workers/previews/preview.js';
import { type Values, viewerFrame } from '@lightbox/workers/testing/viewerFrame.js';
import sharp from 'sharp';
import { judgeBlackOuts } from './fidelity/blackOut.js';
import { openViewer, type Viewer } from './fidelity/browser.js';
import { judgeCopies } from './fidelity/deidentified.js';
import { judgeMarks } from './fidelity/marks.js';
import { compare, scaled } from './fidelity/measure.js';
import { pythonWith } from './python.js';

const PACKAGES = [
  'pydicom==3.0.2',
  // Larger files, among them enhanced CT and MR with several frames.
  'pydicom-data==1.0.0',
  'numpy==2.2.6',
  'pillow==13.0.0',
  'pylibjpeg==2.1.0',
  'pylibjpeg-libjpeg==2.5.0',
  'pylibjpeg-openjpeg==2.6.0',
  'pylibjpeg-rle==2.2.0',
];
/** A file as pydicom draws it. */
interface Reference {
  name: string;
  drawn: boolean;
  rows: number;
  columns: number;
  samples: number;
  frames: number;
}

interface Row {
  file: string;
  frame: string;
  preview: string;
  ok: boolean;
}

/** The same of a file on the canvas of the viewer. */
interface ShownRow {
  file: string;
  first: string;
  middle: string;
  drawnBy: 'browser' | 'server';
  ok: boolean;
}

/** Copies the test files of pydicom and pydicom-data into one folder, and returns it. */
function standardFiles(program: string): string {
  const folder = resolve('.cache/fidelity-files');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const ask =
    'import pydicom, data_store, os; print(*(os.path.dirname(p.__file__) for p in (pydicom, data_store)), sep="\\n")';
  const [pydicom = '', data = ''] = execFileSync(program, ['-c', ask]).toString().trim().split('\n');
  for (const from of [join(pydicom, 'data/test_files'), join(data, 'data')]) {
    for (const { name } of readdirSync(from, { withFileTypes: true }).filter((entry) => entry.isFile()))
      copyFileSync(join(from, name), join(folder, name));
  }
  return folder;
}

function valuesOf(out: string, { name, rows, columns, samples }: Reference, which: string): Values {
  const bytes = readFileSync(join(out, `${name}.${which}`));
  return { width: columns, height: rows, samples, values: new Float32Array(new Uint8Array(bytes).buffer) };
}

async function compareFile(pictures: Pictures, out: string, folder: string, reference: Reference): Promise<Row> {
  const bytes = readFileSync(join(folder, reference.name));
  const plain: Buffer[] = [];
  const prepared = await pictures.prepare(
    bytes,
    'application/dicom',
    async (part) => void plain.push(Buffer.from(part)),
  );
  const row = { file: reference.name, frame: 'not drawn', preview: 'not drawn', ok: false };
  if (!prepared?.preview) return row;
  const source = prepared.drawing.source === 'file' ? bytes : Buffer.concat(plain);
  const isColour = reference.samples === 3;
  const frame = await viewerFrame(prepared.drawing, source, 0);
  const ofFrame = compare(frame.values, valuesOf(out, reference, 'first').values, isColour);
  const ofPreview = await comparePreview(out, reference, prepared);
  return { ...row, frame: ofFrame.text, preview: ofPreview.text, ok: ofFrame.ok && ofPreview.ok };
}

async function comparePreview(out: string, reference: Reference, { preview, drawing }: Prepared) {
  const isColour = reference.samples === 3;
  const picture = sharp(preview?.bytes).removeAlpha();
  const { data, info } = await (isColour ? picture : picture.extractChannel(0))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const middle = valuesOf(out, reference, isColour ? 'middle' : 'middle.shown');
  if (drawing.facts.previewFrame !== Math.floor((reference.frames - 1) / 2) + 1)
    return { text: 'other frame', ok: false };
  return compare(data, scaled(middle, info), isColour);
}

/** The state in which a file ends that pydicom cannot draw. */
async function stateOf(pictures: Pictures, folder: string, { name }: Reference): Promise<Row> {
  const prepared = await pictures.prepare(readFileSync(join(folder, name)), 'application/dicom', async () => undefined);
  return {
    file: name,
    frame: prepared ? prepared.drawing.facts.kind : 'no DICOM',
    preview: prepared?.preview ? 'drawn' : '–',
    ok: true,
  };
}

interface Place {
  /** The DICOM files. */
  folder: string;
  /** The pictures of pydicom. */
  out: string;
}

async function compareServed({ folder, out }: Place, references: readonly Reference[]): Promise<Row[]> {
  const pictures = await openPictures(null);
  const rows: Row[] = [];
  for (const reference of references) {
    rows.push(
      await (reference.drawn ? compareFile(pictures, out, folder, reference) : stateOf(pictures, folder, reference)),
    );
  }
  await pictures.close();
  return rows;
}

/** Compares the canvas with the first and the middle frame of each file that pydicom can draw. */
async function compareShown(place: Place, references: readonly Reference[], webGl: boolean): Promise<ShownRow[]> {
  const viewer = await openViewer({ webGl });
  const rows: ShownRow[] = [];
  try {
    for (const reference of references.filter(({ drawn }) => drawn)) {
      rows.push(await compareCanvas(viewer, place, reference));
      if (!rows.at(-1)?.ok) console.log(rows.at(-1));
    }
  } finally {
    await viewer.stop();
  }
  return rows;
}

async function compareCanvas(viewer: Viewer, { folder, out }: Place, reference: Reference): Promise<ShownRow> {
  const { name, samples, frames } = reference;
  const isColour = samples === 3;
  const row: ShownRow = { file: name, first: '', middle: '', drawnBy: 'browser', ok: true };
  try {
    const id = await viewer.upload(name, readFileSync(join(folder, name)));
    const middle = Math.floor((frames - 1) / 2) + 1;
    for (const [which, frame] of middle > 1
      ? ([
          ['first', 1],
          ['middle', middle],
        ] as const)
      : ([['first', 1]] as const)) {
      const { values, byServer } = await viewer.picture(id, frame, samples);
      const theirs = scaled(valuesOf(out, reference, isColour ? which : `${which}.shown`), values);
      const { text, ok } = compare(values.values, theirs, isColour);
      row[which] = text;
      row.ok &&= ok;
      if (byServer) row.drawnBy = 'server';
    }
    return row;
  } catch (error) {
    return { ...row, first: String(error).split('\n')[0] ?? '', ok: false };
  }
}

async function run(
  chosen: string | undefined,
  {
    browser,
    webgl,
    deidentified,
    blackout,
    marks,
  }: Record<'browser' | 'webgl' | 'deidentified' | 'blackout' | 'marks', boolean>,
): Promise<number> {
  const program = pythonWith('fidelity', PACKAGES);
  const folder = chosen ?? standardFiles(program);
  if (deidentified) return judgeCopies(program, folder);
  if (blackout) return judgeBlackOuts(program, folder);
  if (marks) return judgeMarks(program, folder);
  const out = mkdtempSync(join(tmpdir(), 'lightbox-fidelity-'));
  try {
    execFileSync(program, [join(import.meta.dirname, '../src/fidelity/reference.py'), folder, out], {
      stdio: 'inherit',
    });
    const references = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8')) as Reference[];
    const place = { folder, out };
    const rows = await (browser ? compareShown(place, references, webgl) : compareServed(place, references));
    console.table(rows);
    const [drawn, good] = [references.filter((row) => row.drawn).length, rows.filter((row) => row.ok).length];
    console.log(`${readdirSync(folder).length} files, ${drawn} drawn by pydicom, ${rows.length - good} differ`);
    return good === rows.length ? 0 : 1;
  } finally {
    rmSync(out, { recursive: true });
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    browser: { type: 'boolean', default: false },
    webgl: { type: 'boolean', default: false },
    deidentified: { type: 'boolean', default: false },
    blackout: { type: 'boolean', default: false },
    marks: { type: 'boolean', default: false },
  },
});
process.exit(await run(positionals[0], values));
