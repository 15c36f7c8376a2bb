import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import { inEnglish, type Sentence, sentence } from '@lightbox/contract/analysis/sentences.js';
import type { Measurements } from '../../previews/preview.js';
import { type AnalysisInput, type AnalysisProvider, type AnalysisRun, requirePicture, undrawable } from './provider.js';

type Dicom = NonNullable<AnalysisInput['facts']['dicom']>;
type Detail = NonNullable<AnalysisInput['facts']['dicomDetail']>;

/** Describes measurements of the picture and the fields of its header, without any interpretation. */
export function localProvider(now: () => Date = () => new Date()): AnalysisProvider {
  const [name, model, modelVersion] = ['local', 'measurements-1', '1'];
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
        description: describe(input, measured, now()),
        warnings: [sentence('NO_MODEL'), ...qualityWarnings(input, measured)],
      };
      return {
        description: said.description.map(inEnglish).join(' '),
        differentialDiagnosis: [],
        treatment: [],
        followUp: [],
        warnings: said.warnings.map(inEnglish),
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

/** Returns one sentence for each field and measurement. */
export function describe({ contentType, facts }: AnalysisInput, measured: Measurements, now: Date): Sentence[] {
  const { dicom, dicomDetail } = facts;
  return [
    ...(dicom ? study(dicom, now) : [sentence('PICTURE', { kind: contentType === 'image/png' ? 'PNG' : 'JPEG' })]),
    ...picture(measured, dicom),
    ...(dicomDetail ? [...geometry(dicomDetail, measured), ...display(dicomDetail), ...device(dicomDetail)] : []),
    ...brightness(measured),
    ...values(measured, dicom),
    sentence('TEXTURE', { sharpness: measured.sharpness, noise: measured.noise }),
  ];
}

function study(dicom: Dicom, now: Date): Sentence[] {
  const { bodyPart, view, studyDate } = dicom;
  const modality = dicom.modality ?? '';
  const part = bodyPart?.toLowerCase() ?? '';
  const what = () => {
    if (part && view) return sentence('STUDY_PART_VIEW', { modality, part, view });
    if (part) return sentence('STUDY_PART', { modality, part });
    return view ? sentence('STUDY_VIEW', { modality, view }) : sentence('STUDY', { modality });
  };
  return [what(), ...(studyDate ? [made(studyDate, now)] : [])];
}

function made(date: string, now: Date): Sentence {
  const days = Math.floor((now.getTime() - Date.parse(`${date}T00:00:00Z`)) / 86_400_000);
  if (days < 0) return sentence('MADE_LATER', { date });
  if (days < 60) return sentence('MADE_DAYS', { date, count: days });
  if (days < 730) return sentence('MADE_MONTHS', { date, count: Math.floor(days / 30.44) });
  return sentence('MADE_YEARS', { date, count: Math.floor(days / 365.25) });
}

function picture({ width, height, bitDepth, colour }: Measurements, dicom: Dicom | undefined): Sentence[] {
  const frames = dicom?.frames ?? 1;
  return [
    sentence(colour ? 'COLOUR' : 'GREY', { width, height, count: bitDepth }),
    ...(frames > 1 ? [sentence('FRAMES', { frames })] : []),
  ];
}

const planes = { axial: 'AXIAL', coronal: 'CORONAL', sagittal: 'SAGITTAL' } as const;
const sides = { L: 'SIDE_LEFT', R: 'SIDE_RIGHT', B: 'SIDE_BOTH', U: 'SIDE_UNPAIRED' } as const;
const within = <Table extends object>(table: Table, key: string | null): key is keyof Table & string =>
  key !== null && Object.hasOwn(table, key);

function geometry({ pixelSpacing, sliceThickness, laterality, orientation }: Detail, measured: Measurements) {
  const sentences: Sentence[] = [];
  if (pixelSpacing) {
    const [row, column] = pixelSpacing;
    const [width, height] = [Math.round(column * measured.width), Math.round(row * measured.height)];
    sentences.push(sentence('SPACING', { row, column, width, height }));
  }
  if (sliceThickness) sentences.push(sentence('SLICE', { thickness: sliceThickness }));
  if (within(planes, orientation)) sentences.push(sentence(planes[orientation]));
  else if (orientation) sentences.push(sentence('ORIENTATION', { orientation }));
  if (within(sides, laterality)) sentences.push(sentence(sides[laterality]));
  return sentences;
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

const threshold = {
  white: 0.02,
  black: 0.4,
  contrast: 40,
  sharpness: 6,
  noise: 12,
  side: 256,
  radiographSide: 1000,
};

/** Returns a warning for each property that makes the picture hard to read, with the measured number. */
export function qualityWarnings({ facts }: AnalysisInput, measured: Measurements): Sentence[] {
  const { width, height, white, black, percentiles, sharpness, noise, sd } = measured;
  const flat = sd < 1;
  const side = RADIOGRAPHS.has(facts.dicom?.modality ?? '') ? threshold.radiographSide : threshold.side;
  const checks: [boolean, Sentence][] = [
    [flat, sentence('ONE_TONE')],
    [!flat && white > threshold.white, sentence('TOO_WHITE', { white })],
    [!flat && black > threshold.black, sentence('TOO_BLACK', { black })],
    [!flat && percentiles.p99 - percentiles.p1 < threshold.contrast, sentence('LOW_CONTRAST')],
    [!flat && sharpness < threshold.sharpness, sentence('BLURRED')],
    [noise > threshold.noise, sentence('NOISY', { noise })],
    [Math.min(width, height) < side, sentence('SMALL', { width, height })],
    [LOSSY.has(facts.dicomDetail?.transferSyntax ?? ''), sentence('LOSSY')],
    [facts.dicomDetail?.burnedIn === true, sentence('TEXT_INSIDE')],
  ];
  return checks.filter(([applies]) => applies).map(([, said]) => said);
}
