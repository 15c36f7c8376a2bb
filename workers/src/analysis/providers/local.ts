import { isPaired } from '@lightbox/contract/analysis/bodyParts.js';
import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import { inEnglish, type Sentence, sentence } from '@lightbox/contract/analysis/sentences.js';
import { dateIn } from '@lightbox/contract/notifications/clock.js';
import { serverTimeZone } from '@lightbox/core/notifications/noticeSettings.js';
import { DAY_MS, HOUR_MS } from '@lightbox/core/times.js';
import type { Measurements } from '../../previews/preview.js';
import { type AnalysisInput, type AnalysisProvider, type AnalysisRun, requirePicture, undrawable } from './provider.js';

type Facts = AnalysisInput['facts'];
type Dicom = NonNullable<Facts['dicom']>;
type Detail = NonNullable<Facts['dicomDetail']>;

/** Describes the picture and its header in words, without any interpretation. Numbers are measurements. */
export function localProvider(now: () => Date = () => new Date(), timeZone = serverTimeZone): AnalysisProvider {
  const [name, model, modelVersion] = ['local', 'measurements-1', '2'];
  return {
    name,
    model,
    async analyse(input: AnalysisInput, { signal, onProgress, pictures }: AnalysisRun): Promise<Findings> {
      requirePicture(input);
      onProgress(10);
      const measured = await pictures.measure(input.bytes, input.contentType);
      signal.throwIfAborted();
      if (!measured) throw undrawable();
      onProgress(90);
      const said = {
        description: describe(input, measured, { now: now(), timeZone }),
        warnings: [sentence('NO_MODEL'), ...qualityWarnings(input, measured), ...missing(input)],
        measurements: measurements(input, measured),
      };
      return {
        description: said.description.map(inEnglish).join(' '),
        differentialDiagnosis: [],
        treatment: [],
        followUp: [],
        warnings: said.warnings.map(inEnglish),
        measurements: said.measurements.map(inEnglish),
        confidence: null,
        assessed: false,
        provider: name,
        model,
        modelVersion,
        said,
      };
    },
  };
}

interface Moment {
  now: Date;
  /** The time zone whose calendar says which day it is. */
  timeZone: string;
}

/** Returns the header and the look of the picture in words. */
function describe({ contentType, facts }: AnalysisInput, measured: Measurements, moment: Moment): Sentence[] {
  const { dicom, dicomDetail } = facts;
  return [
    ...(dicom ? study(dicom, moment) : [sentence('PICTURE', { kind: contentType === 'image/png' ? 'PNG' : 'JPEG' })]),
    ...(dicomDetail ? place(dicomDetail) : []),
    ...frames(dicom),
    ...look(facts, measured),
  ];
}

/** Returns one sentence for each number. */
function measurements({ facts: { dicom, dicomDetail } }: AnalysisInput, measured: Measurements): Sentence[] {
  return [
    size(measured),
    ...(dicomDetail
      ? [...geometry(dicomDetail, measured), ...display(dicomDetail), ...exposure(dicomDetail), ...device(dicomDetail)]
      : []),
    ...brightness(measured),
    ...values(measured, dicom),
    sentence('TEXTURE', { sharpness: measured.sharpness, noise: measured.noise }),
  ];
}

function study(dicom: Dicom, moment: Moment): Sentence[] {
  const { bodyPart, view, studyDate } = dicom;
  const modality = dicom.modality ?? '';
  const part = bodyPart?.toLowerCase() ?? '';
  const what = () => {
    if (part && view) return sentence('STUDY_PART_VIEW', { modality, part, view });
    if (part) return sentence('STUDY_PART', { modality, part });
    return view ? sentence('STUDY_VIEW', { modality, view }) : sentence('STUDY', { modality });
  };
  return [what(), ...(studyDate ? [made(studyDate, moment)] : [])];
}

/** A study has the date of the device's calendar, without a time zone. */
function made(date: string, { now, timeZone }: Moment): Sentence {
  // A day begins first at UTC+14. Until then it has begun nowhere.
  if (date > dateIn(new Date(now.getTime() + 14 * HOUR_MS), 'UTC')) return sentence('MADE_LATER', { date });
  const days = Math.max(0, (Date.parse(dateIn(now, timeZone)) - Date.parse(date)) / DAY_MS);
  if (days < 60) return sentence('MADE_DAYS', { date, count: days });
  if (days < 730) return sentence('MADE_MONTHS', { date, count: Math.floor(days / 30.44) });
  return sentence('MADE_YEARS', { date, count: Math.floor(days / 365.25) });
}

const size = ({ width, height, bitDepth, colour }: Measurements): Sentence =>
  sentence(colour ? 'COLOUR' : 'GREY', { width, height, count: bitDepth });

const frames = (dicom: Dicom | undefined): Sentence[] =>
  dicom?.frames && dicom.frames > 1 ? [sentence('FRAMES', { frames: dicom.frames })] : [];

const planes = { axial: 'AXIAL', coronal: 'CORONAL', sagittal: 'SAGITTAL' } as const;
const sides = { L: 'SIDE_LEFT', R: 'SIDE_RIGHT', B: 'SIDE_BOTH', U: 'SIDE_UNPAIRED' } as const;
const within = <Table extends object>(table: Table, key: string | null): key is keyof Table & string =>
  key !== null && Object.hasOwn(table, key);

/** Returns the plane or the orientation, and the side. */
function place({ laterality, orientation }: Detail): Sentence[] {
  const sentences: Sentence[] = [];
  if (within(planes, orientation)) sentences.push(sentence(planes[orientation]));
  else if (orientation) sentences.push(sentence('ORIENTATION', { orientation }));
  if (within(sides, laterality)) sentences.push(sentence(sides[laterality]));
  return sentences;
}

/** Returns exposure, clipping, sharpness and noise in words, where they are good. `qualityWarnings` says the rest. */
function look({ dicom, dicomDetail }: Facts, measured: Measurements): Sentence[] {
  const { black, white, sharpness, noise, percentiles, sd } = measured;
  if (sd < 1) return [];
  const said: Sentence[] = [];
  if (hasExposure(dicom)) said.push(sentence(tones(percentiles)));
  const deviation = dicomDetail?.deviationIndex;
  if (typeof deviation === 'number' && Math.abs(deviation) <= threshold.deviation)
    said.push(sentence('EXPOSURE_ON_TARGET'));
  if (black < threshold.clipped && white < threshold.clipped) said.push(sentence('NOTHING_CLIPPED'));
  if (sharpness >= threshold.sharp) said.push(sentence('EDGES_SHARP'));
  else if (sharpness >= threshold.sharpness) said.push(sentence('EDGES_SOFT'));
  if (noise < threshold.littleNoise) said.push(sentence('LITTLE_NOISE'));
  return said;
}

function tones({ p50, p5, p95 }: Measurements['percentiles']): 'TONES_DARK' | 'TONES_BRIGHT' | 'TONES_SPREAD' {
  if (p50 < 64 && p95 < 192) return 'TONES_DARK';
  return p50 > 192 && p5 > 64 ? 'TONES_BRIGHT' : 'TONES_SPREAD';
}

/** Brightness over all values says something about exposure in photographs and radiographs alone. */
const hasExposure = (dicom: Dicom | undefined): boolean => !dicom || RADIOGRAPHS.has(dicom.modality ?? '');

function geometry({ pixelSpacing, sliceThickness }: Detail, measured: Measurements): Sentence[] {
  const sentences: Sentence[] = [];
  if (pixelSpacing) {
    const [row, column] = pixelSpacing;
    const [width, height] = [Math.round(column * measured.width), Math.round(row * measured.height)];
    sentences.push(sentence('SPACING', { row, column, width, height }));
  }
  if (sliceThickness) sentences.push(sentence('SLICE', { thickness: sliceThickness }));
  return sentences;
}

function exposure({ exposureIndex: index, targetExposureIndex: target }: Detail): Sentence[] {
  if (typeof index !== 'number') return [];
  return [
    typeof target === 'number'
      ? sentence('EXPOSURE_INDEX_TARGET', { index, target })
      : sentence('EXPOSURE_INDEX', { index }),
  ];
}

function display({ windowCenter, windowWidth }: Detail): Sentence[] {
  if (windowCenter === null || windowWidth === null) return [];
  return [sentence('WINDOW', { centre: windowCenter, width: windowWidth })];
}

const device = ({ manufacturerModel }: Detail): Sentence[] =>
  manufacturerModel ? [sentence('DEVICE', { model: manufacturerModel })] : [];

function brightness({ mean, sd, percentiles: p, histogram, black, white }: Measurements): Sentence[] {
  const share = (from: number, to: number) => histogram.slice(from, to).reduce((sum, part) => sum + part, 0);
  const spread = { mean: Math.round(mean), deviation: Math.round(sd), median: p.p50, low: p.p5, high: p.p95 };
  const tones = { dark: share(0, 5), middle: share(5, 11), bright: share(11, 16), black, white };
  return [sentence('BRIGHTNESS', spread), sentence('TONES', tones)];
}

function values({ values: range }: Measurements, dicom: Dicom | undefined): Sentence[] {
  if (!range) return [];
  const { min, max, mean } = range;
  return [sentence(dicom?.modality === 'CT' ? 'VALUES_HU' : 'VALUES', { min, max, mean })];
}

/** PS3.5 §A.4: JPEG baseline, extended, JPEG-LS near-lossless, JPEG 2000 lossy, JPEG XL, HTJ2K. */
const LOSSY = new Set(['50', '51', '81', '91', '112', '203'].map((end) => `1.2.840.10008.1.2.4.${end}`));
const RADIOGRAPHS = new Set(['CR', 'DX', 'MG', 'IO', 'PX', 'RG']);

/** Modalities whose pictures lie on a black background. */
const ON_BLACK = new Set(['CT', 'MR', 'PT', 'NM', 'US', 'IVUS', 'OCT', 'IVOCT', 'CR', 'DX', 'MG', 'XA', 'RF']);

const threshold = {
  white: 0.02,
  black: 0.4,
  clipped: 0.001,
  contrast: 40,
  sharpness: 6,
  sharp: 40,
  noise: 12,
  littleNoise: 3,
  side: 256,
  radiographSide: 1000,
  /** IEC 62494-1: an index of 1 is 26 % more exposure than the target, one of −1 is 21 % less. */
  deviation: 1,
  dark: 64,
  bright: 192,
};

/** Returns a warning for each property that makes the picture hard to read, with the measured number. */
export function qualityWarnings({ facts }: AnalysisInput, measured: Measurements): Sentence[] {
  const { width, height, white, black, percentiles, sharpness, noise, sd } = measured;
  const { dicom, dicomDetail } = facts;
  const flat = sd < 1;
  const modality = dicom?.modality ?? '';
  const side = RADIOGRAPHS.has(modality) ? threshold.radiographSide : threshold.side;
  const deviation = dicomDetail?.deviationIndex ?? 0;
  const checks: [boolean, Sentence][] = [
    [flat, sentence('ONE_TONE')],
    [!flat && hasExposure(dicom) && percentiles.p95 < threshold.dark, sentence('TOO_DARK')],
    [!flat && hasExposure(dicom) && percentiles.p5 > threshold.bright, sentence('TOO_BRIGHT')],
    [deviation < -threshold.deviation, sentence('UNDEREXPOSED', { index: deviation })],
    [deviation > threshold.deviation, sentence('OVEREXPOSED', { index: deviation })],
    [!flat && white > threshold.white, sentence('TOO_WHITE', { white })],
    [!flat && black > threshold.black && !ON_BLACK.has(modality), sentence('TOO_BLACK', { black })],
    [!flat && percentiles.p99 - percentiles.p1 < threshold.contrast, sentence('LOW_CONTRAST')],
    [!flat && sharpness < threshold.sharpness, sentence('BLURRED')],
    [noise > threshold.noise, sentence('NOISY', { noise })],
    [Math.min(width, height) < side, sentence('SMALL', { width, height })],
    [LOSSY.has(dicomDetail?.transferSyntax ?? ''), sentence('LOSSY')],
    [dicomDetail?.burnedIn === true, sentence('TEXT_INSIDE')],
    [dicomDetail?.burnedInGuess === 'likely', sentence('TEXT_LIKELY')],
  ];
  return checks.filter(([applies]) => applies).map(([, said]) => said);
}

interface Gap {
  code: 'NO_BODY_PART' | 'NO_VIEW' | 'NO_SIDE' | 'NO_SPACING' | 'NO_SLICE' | 'NO_ORIENTATION' | 'NO_WINDOW';
  modalities: ReadonlySet<string>;
  isMissing: (facts: { dicom: Dicom; detail: Detail }) => boolean;
}

const PROJECTIONS = new Set(['CR', 'DX', 'MG', 'RG']);
const SLICES = new Set(['CT', 'MR', 'PT']);
const [BOTH, WINDOWED] = [new Set([...PROJECTIONS, ...SLICES]), new Set(['CT', 'MR', 'CR', 'DX', 'MG'])];

/** The fields of the header that a picture of these modalities should have. */
const gaps: Gap[] = [
  { code: 'NO_BODY_PART', modalities: BOTH, isMissing: ({ dicom }) => !dicom.bodyPart },
  { code: 'NO_VIEW', modalities: PROJECTIONS, isMissing: ({ dicom }) => !dicom.view },
  {
    code: 'NO_SIDE',
    modalities: BOTH,
    isMissing: ({ dicom, detail }) => isPaired(dicom.bodyPart ?? '') && !detail.laterality,
  },
  { code: 'NO_SPACING', modalities: BOTH, isMissing: ({ detail }) => !detail.pixelSpacing },
  { code: 'NO_SLICE', modalities: SLICES, isMissing: ({ detail }) => !detail.sliceThickness },
  { code: 'NO_ORIENTATION', modalities: SLICES, isMissing: ({ detail }) => !detail.orientation },
  { code: 'NO_WINDOW', modalities: WINDOWED, isMissing: ({ detail }) => detail.windowWidth === null },
];

/** Returns a sentence for each field that the header lacks. */
function missing({ facts: { dicom, dicomDetail: detail } }: AnalysisInput): Sentence[] {
  if (!dicom || !detail) return [];
  const modality = dicom.modality ?? '';
  if (modality === '') return [sentence('NO_MODALITY')];
  return gaps
    .filter(({ modalities, isMissing }) => modalities.has(modality) && isMissing({ dicom, detail }))
    .map(({ code }) => sentence(code));
}
