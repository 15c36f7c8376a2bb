import { z } from 'zod';
import { modalityName } from './modalities.js';

/**
 * Every sentence that the product itself writes in an analysis: a stable code, by which the client words it, and the
 * English text. A placeholder is `{{value}}`, or `{{value, format}}` when one of `Formats` writes the value.
 */
export const analysisSentences = {
  PICTURE: '{{kind}} picture.',
  STUDY: '{{modality, modality}}.',
  STUDY_PART: '{{modality, modality}}, body part {{part}}.',
  STUDY_VIEW: '{{modality, modality}}, view {{view}}.',
  STUDY_PART_VIEW: '{{modality, modality}}, body part {{part}}, view {{view}}.',
  MADE_DAYS_one: 'The study was made on {{date, day}}, {{count}} day before this analysis.',
  MADE_DAYS_other: 'The study was made on {{date, day}}, {{count}} days before this analysis.',
  MADE_MONTHS_one: 'The study was made on {{date, day}}, {{count}} month before this analysis.',
  MADE_MONTHS_other: 'The study was made on {{date, day}}, {{count}} months before this analysis.',
  MADE_YEARS_one: 'The study was made on {{date, day}}, {{count}} year before this analysis.',
  MADE_YEARS_other: 'The study was made on {{date, day}}, {{count}} years before this analysis.',
  MADE_LATER: 'The recorded date of the study, {{date, day}}, is in the future.',
  GREY_one: '{{width}} × {{height}} pixels, greyscale, {{count}} bit per pixel.',
  GREY_other: '{{width}} × {{height}} pixels, greyscale, {{count}} bits per pixel.',
  COLOUR_one: '{{width}} × {{height}} pixels, colour, {{count}} bit per channel.',
  COLOUR_other: '{{width}} × {{height}} pixels, colour, {{count}} bits per channel.',
  FRAMES: '{{frames}} frames. The middle frame was measured.',
  SPACING: 'Pixel spacing {{row, measure}} × {{column, measure}} mm, a field of about {{width}} × {{height}} mm.',
  SLICE: 'Slice thickness {{thickness, measure}} mm.',
  AXIAL: 'Plane axial.',
  CORONAL: 'Plane coronal.',
  SAGITTAL: 'Plane sagittal.',
  ORIENTATION: 'Orientation {{orientation}}.',
  SIDE_LEFT: 'Laterality as recorded: left.',
  SIDE_RIGHT: 'Laterality as recorded: right.',
  SIDE_BOTH: 'Laterality as recorded: both.',
  SIDE_UNPAIRED: 'Laterality as recorded: unpaired.',
  WINDOW: 'Window as stored: centre {{centre, measure}}, width {{width, measure}}.',
  DEVICE: 'Device model: {{model}}.',
  BRIGHTNESS:
    'Brightness from 0 (black) to 255 (white): mean {{mean}}, standard deviation {{deviation}}, median {{median}}, nine tenths between {{low}} and {{high}}.',
  TONES:
    'Dark, middle and bright tones make up {{dark, share}}, {{middle, share}} and {{bright, share}}; {{black, share}} of the pixels are fully black and {{white, share}} fully white.',
  VALUES: 'Pixel values run from {{min, measure}} to {{max, measure}}, mean {{mean, measure}}.',
  VALUES_HU: 'Pixel values run from {{min, measure}} to {{max, measure}} HU, mean {{mean, measure}} HU.',
  TEXTURE:
    'Edge sharpness (variance of the Laplacian) {{sharpness, measure}}; estimated noise {{noise, measure}} grey levels.',
  NO_MODEL:
    'No diagnostic model is configured. This text describes measurements of the picture. It is not a diagnosis.',
  NOT_A_DIAGNOSIS:
    'A computer model made this from one picture. It does not know the patient’s history. This is not a diagnosis; a clinician must decide.',
  ONE_TONE: 'The picture has almost only one tone. It may be empty.',
  TOO_WHITE: '{{white, share}} of the pixels are fully white. Bright details may be lost.',
  TOO_BLACK: '{{black, share}} of the pixels are fully black. This may be background, or dark details may be lost.',
  LOW_CONTRAST: 'The contrast is low.',
  BLURRED: 'The picture has hardly any sharp edges. It may be blurred.',
  NOISY: 'The picture is noisy (about {{noise, measure}} grey levels).',
  SMALL: 'The resolution is low ({{width}} × {{height}} pixels). Fine details are not visible.',
  LOSSY: 'The picture was compressed, and some detail was lost.',
  TEXT_INSIDE: 'According to the file, the picture contains text. The text may include names.',
} as const;

type Texts = typeof analysisSentences;
type Stem<Key> = Key extends `${infer Code}_one` | `${infer Code}_other` ? Code : Key;
export type SentenceCode = Stem<keyof Texts>;
type TextOf<Code extends SentenceCode> = Texts[Extract<keyof Texts, Code | `${Code}_other`>];
/** The names of the placeholders of a text. `count` also chooses the plural. */
type Open<Text> = Text extends `${string}{{${infer Place}}}${infer Rest}`
  ? (Place extends `${infer Name}, ${string}` ? Name : Place) | Open<Rest>
  : never;

const stem = /_(one|other)$/;
const codes = [...new Set(Object.keys(analysisSentences).map((key) => key.replace(stem, '')))];

/** One sentence by its code. Numbers are as measured; shares are fractions of 1. */
export const Sentence = z.object({
  code: z.enum(codes as [SentenceCode, ...SentenceCode[]]),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Sentence = z.infer<typeof Sentence>;

/** Makes a sentence. The compiler requires a value for each placeholder, and no other value. */
export const sentence = <Code extends SentenceCode>(
  code: Code,
  ...[values]: [Open<TextOf<Code>>] extends [never] ? [] : [Record<Open<TextOf<Code>>, string | number>]
): Sentence => ({ code, values: values ?? {} });

/** Decimals of a measured value. Above 100 they are noise. */
export const measureDigits = (value: number) => (Math.abs(value) >= 100 ? 0 : 2);
/** Smaller shares, except 0, are written as "under 0.1 %". */
export const LEAST_SHARE = 0.001;

type Value = string | number;
/** The functions that write a value in one language: one for each format, and `plain` for values without a format. */
export type Formats = Record<'modality' | 'day' | 'measure' | 'share' | 'plain', (value: Value) => string>;

/** Replaces the placeholders of a text with the values of its sentence. */
export const fill = (text: string, values: Sentence['values'], formats: Formats): string =>
  text.replace(/{{(\w+)(?:, (\w+))?}}/g, (_, name: string, format: keyof Formats = 'plain') =>
    formats[format](values[name] ?? ''),
  );

const english: Formats = {
  modality: (code) => (code === '' ? 'DICOM picture, modality not stated' : modalityName(String(code))),
  day: String,
  measure: (value) => String(Number(Number(value).toFixed(measureDigits(Number(value))))).replace('-', '−'),
  share: (value) => {
    const share = Number(value);
    if (share > 0 && share < LEAST_SHARE) return 'under 0.1 %';
    return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`.replace('.0 %', ' %');
  },
  plain: String,
};

/** Returns the English text of a sentence. The wording stays the same as in older versions of the product. */
export function inEnglish({ code, values }: Sentence): string {
  const texts: Record<string, string> = analysisSentences;
  const text = texts[code] ?? texts[`${code}_${values.count === 1 ? 'one' : 'other'}`] ?? '';
  return fill(text, values, english);
}
