import type { DicomFacts } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { searchableOf } from '@lightbox/core/dicomWeb/searchable.js';
import { guessBurnedIn } from '@lightbox/core/imaging/burnedIn.js';
import { DEFLATED } from '@lightbox/core/imaging/encoding.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import type { DicomDetail } from '@lightbox/core/models/image.js';
import dicomParser, { type DataSet } from 'dicom-parser';
import { identityOf } from './dicomIdentity.js';
import { checkTables } from './dicomTables.js';
import { code, date, decimal, withoutNull } from './dicomValues.js';
import { EXPLICIT_LITTLE, type PixelData, type Walked } from './dicomWalker.js';
import { FileRejected, pixelMismatch, tooManyPixels, unreadableDicom } from './rejected.js';

export interface DicomHeader {
  dicom: DicomFacts;
  dicomDetail: DicomDetail;
  identity: FileIdentity;
}

const FRAMES = 100_000;
/** PS3.5 §A.1, A.2, A.5: the pixel data of these transfer syntaxes is native, of all other known ones encapsulated. */
const NATIVE = new Set(['1.2.840.10008.1.2', EXPLICIT_LITTLE, '1.2.840.10008.1.2.2', DEFLATED]);

/** Reads the header. dicom-parser throws strings and plain objects: each of them means that the file cannot be read. */
export function readHeader(walked: Walked): DicomHeader {
  try {
    const set = dicomParser.parseDicom(walked.header);
    const attributes = searchableOf(walked.header);
    const identity = { ...identityOf(set), ...(attributes === null ? {} : { attributes }) };
    const header = { dicom: dicomFacts(set), dicomDetail: dicomDetail(set, walked), identity };
    if (walked.pixels) checkPixels(set, header, walked.pixels);
    return header;
  } catch (error) {
    throw error instanceof FileRejected ? error : unreadableDicom();
  }
}

function dicomFacts(set: DataSet): DicomFacts {
  return withoutNull({
    modality: code(set, 'x00080060'),
    bodyPart: code(set, 'x00180015'),
    view: code(set, 'x00185101'),
    studyDate: date(set.string('x00080020')),
    rows: set.uint16('x00280010') ?? null,
    columns: set.uint16('x00280011') ?? null,
    frames: set.elements.x00280010 ? frames(set) : null,
  });
}

function dicomDetail(set: DataSet, walked: Walked): DicomDetail {
  return {
    transferSyntax: walked.transferSyntax,
    hasPixels: walked.pixels !== null,
    bitsAllocated: set.uint16('x00280100') ?? null,
    bitsStored: set.uint16('x00280101') ?? null,
    samplesPerPixel: set.uint16('x00280002') ?? null,
    photometricInterpretation: code(set, 'x00280004'),
    pixelSpacing: spacing(set, 'x00280030') ?? spacing(set, 'x00181164'),
    sliceThickness: decimal(set, 'x00180050'),
    windowCenter: decimal(set, 'x00281050'),
    windowWidth: decimal(set, 'x00281051'),
    manufacturerModel: plainText(set.string('x00081090')),
    laterality: laterality(code(set, 'x00200062') ?? code(set, 'x00200060')),
    orientation: orientation(set),
    burnedIn: upper(set, 'x00280301') === 'YES',
    burnedInGuess: guessBurnedIn({
      flag: upper(set, 'x00280301'),
      modality: upper(set, 'x00080060'),
      imageType: upper(set, 'x00080008').split('\\'),
      conversionType: upper(set, 'x00080064'),
      hasPixels: walked.pixels !== null,
    }),
    exposureIndex: decimal(set, 'x00181411'),
    targetExposureIndex: decimal(set, 'x00181412'),
    deviationIndex: decimal(set, 'x00181413'),
  };
}

const upper = (set: DataSet, tag: string): string => set.string(tag)?.trim().toUpperCase() ?? '';

function plainText(value: string | undefined): string | null {
  const text = (value ?? '').replace(/[^\x20-\x7e]/g, '').trim();
  return text === '' || /[<>]/.test(text) ? null : text.slice(0, 64);
}

function spacing(set: DataSet, tag: string): [number, number] | null {
  const [row, column] = [decimal(set, tag, 0), decimal(set, tag, 1)];
  return row !== null && column !== null && row > 0 && column > 0 ? [row, column] : null;
}

function laterality(value: string | null): string | null {
  return value && ['L', 'R', 'B', 'U'].includes(value) ? value : null;
}

/** Returns Patient Orientation (0020,0020), or the plane that is nearest to Image Orientation (0020,0037). */
function orientation(set: DataSet): string | null {
  const directions = set.string('x00200020')?.trim().toUpperCase() ?? '';
  if (/^[LRAPHF]{1,3}\\[LRAPHF]{1,3}$/.test(directions)) return directions.replace('\\', '/');
  const cosines = [0, 1, 2, 3, 4, 5].map((index) => decimal(set, 'x00200037', index));
  const [rx, ry, rz, cx, cy, cz] = cosines;
  if (rx == null || ry == null || rz == null || cx == null || cy == null || cz == null) return null;
  const normal = [ry * cz - rz * cy, rz * cx - rx * cz, rx * cy - ry * cx].map(Math.abs);
  const main = normal.indexOf(Math.max(...normal));
  return ['sagittal', 'coronal', 'axial'][main] ?? null;
}

/** Returns Number of Frames (0028,0008), which is absent for a single frame. */
function frames(set: DataSet): number {
  if (!set.elements.x00280008?.length) return 1;
  const count = set.intString('x00280008');
  if (count === undefined || !Number.isInteger(count) || count < 1 || count > FRAMES) throw pixelMismatch();
  return count;
}

/** Throws unless the pixel module (PS3.3 §C.7.6.3) agrees with itself and with the pixel data. */
function checkPixels(set: DataSet, { dicom, dicomDetail: detail }: DicomHeader, pixels: PixelData): void {
  for (const tag of ['x00280010', 'x00280011', 'x00280002', 'x00280100']) checkUnsignedShort(set, tag);
  const { rows, columns } = dicom;
  const [samples, bits] = [detail.samplesPerPixel ?? 1, detail.bitsAllocated];
  if (!rows || !columns || !bits || ![1, 3, 4].includes(samples)) throw pixelMismatch();
  if (bits !== 1 && (bits % 8 !== 0 || bits > 64)) throw pixelMismatch();
  if (detail.bitsStored !== null && (detail.bitsStored < 1 || detail.bitsStored > bits)) throw pixelMismatch();
  checkTables(set, detail.photometricInterpretation);
  const frameBits = rows * columns * samples * bits;
  // The pixels may be fewer than the header says, or more. Such a file is stored, and drawn if its frames are whole.
  if (pixels.length === null && NATIVE.has(detail.transferSyntax)) throw pixelMismatch();
  if (frameBits / 8 > limits.dicomFrameBytes) throw tooManyPixels();
}

function checkUnsignedShort(set: DataSet, tag: string): void {
  const element = set.elements[tag];
  if (element && (element.length !== 2 || (element.vr !== undefined && element.vr !== 'US'))) throw pixelMismatch();
}
