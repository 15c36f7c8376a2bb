import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import { type Measurements, measureImage } from '../../previews/preview.js';
import { modalityName } from './modalities.js';
import { type AnalysisInput, type AnalysisProvider, type AnalysisRun, requirePicture, undrawable } from './provider.js';

type Dicom = NonNullable<AnalysisInput['facts']['dicom']>;
type Detail = NonNullable<AnalysisInput['facts']['dicomDetail']>;

export const NO_MODEL =
  'No diagnostic model is configured: this describes what was measured in the picture, and is not a diagnosis.';

/** Describes what can be measured in the picture and read in its header, and claims nothing else. */
export function localProvider(now: () => Date = () => new Date()): AnalysisProvider {
  const [name, model] = ['local', 'measurements-1'];
  return {
    name,
    model,
    async analyse(input: AnalysisInput, { signal, onProgress }: AnalysisRun): Promise<Findings> {
      requirePicture(input);
      onProgress(10);
      const measured = await measureImage(input.bytes, input.contentType);
      signal.throwIfAborted();
      if (!measured) throw undrawable();
      onProgress(90);
      return {
        description: describe(input, measured, now()),
        differentialDiagnosis: [],
        treatment: [],
        followUp: [],
        warnings: [NO_MODEL, ...qualityWarnings(input, measured)],
        confidence: null,
        assessed: false,
        provider: name,
        model,
      };
    },
  };
}

export function describe({ contentType, facts }: AnalysisInput, measured: Measurements, now: Date): string {
  const { dicom, dicomDetail } = facts;
  return [
    dicom ? study(dicom, now) : `${contentType === 'image/png' ? 'PNG' : 'JPEG'} picture.`,
    picture(measured, dicom),
    ...(dicomDetail ? [geometry(dicomDetail, measured), display(dicomDetail), device(dicomDetail)] : []),
    brightness(measured),
    values(measured, dicom),
    texture(measured),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function study({ modality, bodyPart, view, studyDate }: Dicom, now: Date): string {
  const parts = [modality ? modalityName(modality) : 'DICOM picture of unstated modality'];
  if (bodyPart) parts.push(`body part ${bodyPart.toLowerCase()}`);
  if (view) parts.push(`view ${view}`);
  const age = studyDate ? ` The study was made on ${studyDate}${ago(studyDate, now)}.` : '';
  return `${parts.join(', ')}.${age}`;
}

function ago(studyDate: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(`${studyDate}T00:00:00Z`)) / 86_400_000);
  if (days < 0) return ', which lies in the future';
  if (days < 60) return `, ${count(days, 'day')} before this analysis`;
  if (days < 730) return `, ${count(Math.floor(days / 30.44), 'month')} before this analysis`;
  return `, ${count(Math.floor(days / 365.25), 'year')} before this analysis`;
}

function picture({ width, height, bitDepth, colour }: Measurements, dicom: Dicom | undefined): string {
  const frames =
    dicom?.frames && dicom.frames > 1 ? ` ${dicom.frames} frames, of which the middle one was measured.` : '';
  const depth = `${count(bitDepth, 'bit')} per ${colour ? 'channel' : 'pixel'}`;
  return `${width} × ${height} pixels, ${colour ? 'colour' : 'greyscale'}, ${depth}.${frames}`;
}

function geometry({ pixelSpacing, sliceThickness, laterality, orientation }: Detail, measured: Measurements): string {
  const sentences: string[] = [];
  if (pixelSpacing) {
    const [row, column] = pixelSpacing;
    const field = `${Math.round(column * measured.width)} × ${Math.round(row * measured.height)} mm`;
    sentences.push(`Pixel spacing ${number(row)} × ${number(column)} mm, a field of about ${field}.`);
  }
  if (sliceThickness) sentences.push(`Slice thickness ${number(sliceThickness)} mm.`);
  if (orientation)
    sentences.push(/^[a-z]+$/.test(orientation) ? `Plane ${orientation}.` : `Orientation ${orientation}.`);
  const side = laterality ? { L: 'left', R: 'right', B: 'both', U: 'unpaired' }[laterality] : undefined;
  if (side) sentences.push(`Laterality as recorded: ${side}.`);
  return sentences.join(' ');
}

function display({ windowCenter, windowWidth }: Detail): string {
  if (windowCenter === null || windowWidth === null) return '';
  return `Window as stored: centre ${number(windowCenter)}, width ${number(windowWidth)}.`;
}

const device = ({ manufacturerModel }: Detail) => (manufacturerModel ? `Device model: ${manufacturerModel}.` : '');

function brightness({ mean, sd, percentiles: p, histogram, black, white }: Measurements): string {
  const share = (from: number, to: number) => percent(histogram.slice(from, to).reduce((sum, part) => sum + part, 0));
  return [
    `Brightness from 0 (black) to 255 (white): mean ${Math.round(mean)}, standard deviation ${Math.round(sd)}, median ${p.p50},`,
    `nine tenths between ${p.p5} and ${p.p95}.`,
    `Dark, middle and bright tones make up ${share(0, 5)}, ${share(5, 11)} and ${share(11, 16)};`,
    `${percent(black)} of the pixels are fully black and ${percent(white)} fully white.`,
  ].join(' ');
}

function values({ values: range }: Measurements, dicom: Dicom | undefined): string {
  if (!range) return '';
  const unit = dicom?.modality === 'CT' ? ' HU' : '';
  return `Pixel values run from ${number(range.min)} to ${number(range.max)}${unit}, mean ${number(range.mean)}${unit}.`;
}

const texture = ({ sharpness, noise }: Measurements) =>
  `Edge sharpness (variance of the Laplacian) ${number(sharpness)}; estimated noise ${number(noise)} grey levels.`;

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

/** What may stand in the way of reading the picture; each is measured, and says so with its number. */
export function qualityWarnings({ facts }: AnalysisInput, measured: Measurements): string[] {
  const { width, height, white, black, percentiles, sharpness, noise, sd } = measured;
  const flat = sd < 1;
  const side = RADIOGRAPHS.has(facts.dicom?.modality ?? '') ? threshold.radiographSide : threshold.side;
  const checks: [boolean, string][] = [
    [flat, 'The picture is almost one single tone: it may be empty.'],
    [!flat && white > threshold.white, `${percent(white)} of the pixels are fully white: bright detail may be lost.`],
    [
      !flat && black > threshold.black,
      `${percent(black)} of the pixels are fully black: this may be background, or dark detail that was lost.`,
    ],
    [!flat && percentiles.p99 - percentiles.p1 < threshold.contrast, 'The contrast is low.'],
    [!flat && sharpness < threshold.sharpness, 'There are hardly any sharp edges: the picture may be blurred.'],
    [noise > threshold.noise, `The picture is noisy (about ${number(noise)} grey levels).`],
    [
      Math.min(width, height) < side,
      `The resolution is low (${width} × ${height} pixels): fine detail cannot be seen.`,
    ],
    [LOSSY.has(facts.dicomDetail?.transferSyntax ?? ''), 'The picture was compressed with loss of detail.'],
    [facts.dicomDetail?.burnedIn === true, 'The file says that text is written into the picture; it may name people.'],
  ];
  return checks.filter(([applies]) => applies).map(([, text]) => text);
}

const count = (amount: number, unit: string) => `${amount} ${unit}${amount === 1 ? '' : 's'}`;

function percent(share: number): string {
  if (share > 0 && share < 0.001) return 'under 0.1 %';
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`.replace('.0 %', ' %');
}

function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : 2;
  return String(Number(value.toFixed(digits))).replace('-', '−');
}
