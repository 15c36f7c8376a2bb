// `npm run fidelity [-- FOLDER]`: compares the product's pictures of DICOM files with those of pydicom, as previews and as
// the frames that a browser gets. Without a folder it takes pydicom's own test files. Prints a table, and exits with 1 after
// a difference. It needs Python, and installs pydicom in a folder of its own. See docs/architecture.md.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openPictures, type Pictures, type Prepared } from '@lightbox/workers/previews/preview.js';
import { type Values, viewerFrame } from '@lightbox/workers/testing/viewerFrame.js';
import sharp from 'sharp';
import { correlation, meanDifference, scaled } from './fidelity/measure.js';

const PACKAGES = [
  'pydicom==3.0.2',
  'numpy==2.2.6',
  'pillow==13.0.0',
  'pylibjpeg==2.1.0',
  'pylibjpeg-libjpeg==2.5.0',
  'pylibjpeg-openjpeg==2.6.0',
  'pylibjpeg-rle==2.2.0',
];
/** At least this correlation, or for colours of 8 bits at most this mean difference. */
const CORRELATION = 0.95;
const DIFFERENCE = 4;

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

function python(): string {
  const environment = resolve('.cache/fidelity');
  const program = join(environment, 'bin/python');
  if (!existsSync(program)) {
    execFileSync(process.env.PYTHON ?? 'python3', ['-m', 'venv', environment], { stdio: 'inherit' });
    execFileSync(program, ['-m', 'pip', 'install', '--quiet', ...PACKAGES], { stdio: 'inherit' });
  }
  return program;
}

/** Returns the folder of pydicom's own test files. */
const filesOfPydicom = (program: string): string =>
  execFileSync(program, [
    '-c',
    'import pydicom, pathlib; print(pathlib.Path(pydicom.__file__).parent / "data/test_files")',
  ])
    .toString()
    .trim();

function valuesOf(out: string, { name, rows, columns, samples }: Reference, which: string): Values {
  const bytes = readFileSync(join(out, `${name}.${which}`));
  return { width: columns, height: rows, samples, values: new Float32Array(new Uint8Array(bytes).buffer) };
}

/** Returns a text with the agreement of two pictures, and true when they agree. */
function compare(ours: ArrayLike<number>, theirs: ArrayLike<number>, isColour: boolean): { text: string; ok: boolean } {
  if (ours.length !== theirs.length) return { text: `${ours.length} values, not ${theirs.length}`, ok: false };
  const r = correlation(ours, theirs);
  const difference = meanDifference(ours, theirs);
  if (r === null && !isColour) return { text: 'flat', ok: true };
  const ok = (r !== null && r > CORRELATION) || (isColour && difference <= DIFFERENCE);
  return { text: `r ${r?.toFixed(4) ?? '–'}${isColour ? `, Δ ${difference.toFixed(2)}` : ''}`, ok };
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

async function run(chosen: string | undefined): Promise<number> {
  const program = python();
  const folder = chosen ?? filesOfPydicom(program);
  const out = mkdtempSync(join(tmpdir(), 'lightbox-fidelity-'));
  const pictures = await openPictures(null);
  try {
    execFileSync(program, [join(import.meta.dirname, '../src/fidelity/reference.py'), folder, out], {
      stdio: 'inherit',
    });
    const references = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8')) as Reference[];
    const rows: Row[] = [];
    for (const reference of references) {
      rows.push(
        await (reference.drawn ? compareFile(pictures, out, folder, reference) : stateOf(pictures, folder, reference)),
      );
    }
    console.table(rows);
    const [drawn, good] = [references.filter((row) => row.drawn).length, rows.filter((row) => row.ok).length];
    console.log(`${readdirSync(folder).length} files, ${drawn} drawn by pydicom, ${rows.length - good} differ`);
    return good === rows.length ? 0 : 1;
  } finally {
    await pictures.close();
    rmSync(out, { recursive: true });
  }
}

const { positionals } = parseArgs({ allowPositionals: true });
process.exit(await run(positionals.filter((name) => name !== 'fidelity')[0]));
