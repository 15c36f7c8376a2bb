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
  GREY_one: '{{width}} × {{height}} pixels, grayscale, {{count}} bit per pixel.',
  GREY_other: '{{width}} × {{height}} pixels, grayscale, {{count}} bits per pixel.',
  COLOUR_one: '{{width}} × {{height}} pixels, color, {{count}} bit per channel.',
  COLOUR_other: '{{width}} × {{height}} pixels, color, {{count}} bits per channel.',
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
  WINDOW: 'Window as stored: center {{centre, measure}}, width {{width, measure}}.',
  DEVICE: 'Device model: {{model}}.',
  BRIGHTNESS:
    'Brightness from 0 (black) to 255 (white): mean {{mean}}, standard deviation {{deviation}}, median {{median}}, nine tenths between {{low}} and {{high}}.',
  TONES:
    'Dark, middle and bright tones make up {{dark, share}}, {{middle, share}} and {{bright, share}}; {{black, share}} of the pixels are fully black and {{white, share}} fully white.',
  VALUES: 'Pixel values run from {{min, measure}} to {{max, measure}}, mean {{mean, measure}}.',
  VALUES_HU: 'Pixel values run from {{min, measure}} to {{max, measure}} HU, mean {{mean, measure}} HU.',
  TEXTURE:
    'Edge sharpness (variance of the Laplacian) {{sharpness, measure}}; estimated noise {{noise, measure}} gray levels.',
  EXPOSURE_INDEX: 'Exposure index {{index, measure}}.',
  EXPOSURE_INDEX_TARGET: 'Exposure index {{index, measure}}, target {{target, measure}}.',
  TONES_SPREAD: 'The picture uses dark, middle and bright tones.',
  TONES_DARK: 'The picture is mostly dark.',
  TONES_BRIGHT: 'The picture is mostly bright.',
  EXPOSURE_ON_TARGET: 'The device recorded an exposure close to its target.',
  NOTHING_CLIPPED: 'No detail is lost in full black or full white.',
  EDGES_SHARP: 'Edges are sharp.',
  EDGES_SOFT: 'Edges are soft.',
  LITTLE_NOISE: 'There is little noise.',
  NO_MODEL:
    'No diagnostic model is configured. This text describes measurements of the picture. It is not a diagnosis.',
  NOT_A_DIAGNOSIS:
    'A computer model made this from one picture. It does not know the patient’s history. This is not a diagnosis; a clinician must decide.',
  ONE_TONE: 'The picture has almost only one tone. It may be empty.',
  TOO_WHITE: '{{white, share}} of the pixels are fully white. Bright details may be lost.',
  TOO_BLACK: '{{black, share}} of the pixels are fully black. This may be background, or dark details may be lost.',
  LOW_CONTRAST: 'The contrast is low.',
  BLURRED: 'The picture has hardly any sharp edges. It may be blurred.',
  NOISY: 'The picture is noisy (about {{noise, measure}} gray levels).',
  SMALL: 'The resolution is low ({{width}} × {{height}} pixels). Fine details are not visible.',
  LOSSY: 'The picture was compressed, and some detail was lost.',
  TEXT_INSIDE: 'According to the file, the picture contains text. The text may include names.',
  TEXT_LIKELY: 'Pictures of this kind often contain text. The text may include names.',
  TOO_DARK: 'The picture is very dark. Dark details may be lost.',
  TOO_BRIGHT: 'The picture is very bright. Bright details may be lost.',
  UNDEREXPOSED: 'The device recorded too little exposure (deviation index {{index, measure}}). Noise may hide details.',
  OVEREXPOSED: 'The device recorded too much exposure (deviation index {{index, measure}}).',
  NO_MODALITY: 'The file does not name the kind of picture.',
  NO_BODY_PART: 'The file does not name the body part.',
  NO_VIEW: 'The file does not name the view.',
  NO_SIDE: 'The file does not name the side, left or right. Look for the marker in the picture.',
  NO_SPACING: 'The file has no pixel spacing. Distances cannot be measured.',
  NO_SLICE: 'The file has no slice thickness.',
  NO_ORIENTATION: 'The file does not say how the picture lies in the body.',
  NO_WINDOW: 'The file has no window. The first view shows the whole range of its values.',
  CLASSIFIER_one: 'The classifier {{name}} gave a probability to {{count}} label.',
  CLASSIFIER_other: 'The classifier {{name}} gave a probability to each of {{count}} labels.',
  MADE_FOR: 'Its makers made it for: {{modalities}}.',
  MADE_FOR_PARTS: 'Its makers made it for: {{modalities}}; body parts: {{parts}}.',
  CALIBRATED: 'The probabilities are calibrated as its makers say.',
  CLASSIFIER_LIMITS:
    'A classifier made this from one picture. It knows no label but its own, and not the patient’s history. This is not a diagnosis; a clinician must decide.',
  NOT_CALIBRATED:
    'The probabilities are not calibrated: 80 % does not mean that 8 of 10 such patients have the finding.',
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
export const sentenceCodes = [...new Set(Object.keys(analysisSentences).map((key) => key.replace(stem, '')))] as [
  SentenceCode,
  ...SentenceCode[],
];

/** One sentence by its code. Numbers are as measured; shares are fractions of 1. */
export interface Sentence {
  code: SentenceCode;
  values: Record<string, string | number>;
}

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

/** The text of an analysis: the fields that the product's own sentences may fill. */
export interface Wordable {
  description: string;
  warnings: readonly string[];
  measurements?: readonly string[] | undefined;
  said?: { description: Sentence[]; warnings: (Sentence | null)[]; measurements?: Sentence[] | undefined } | undefined;
}

/**
 * Returns the text of an analysis in another language: the product's own sentences by their codes, all others as they
 * are. `inWords` returns undefined for a code that it does not know; the English text stands in its place.
 */
export function worded(
  { description, warnings, measurements = [], said }: Wordable,
  inWords: (sentence: Sentence) => string | undefined,
): { description: string; warnings: string[]; measurements: string[] } {
  const sentences = said?.description.map(inWords) ?? [];
  const each = (texts: readonly string[], codes: readonly (Sentence | null)[] = []) =>
    texts.map((text, at) => {
      const sentence = codes[at];
      return (sentence && inWords(sentence)) ?? text;
    });
  return {
    description: sentences.length > 0 && sentences.every(Boolean) ? sentences.join(' ') : description,
    warnings: each(warnings, said?.warnings),
    measurements: each(measurements, said?.measurements),
  };
}

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
export const inEnglish = (said: Sentence): string => wordedBy(analysisSentences, english)(said) ?? '';

/** Returns a function that words sentences with these texts. It returns undefined for a code without a text. */
export function wordedBy(texts: Record<string, string>, formats: Formats) {
  return ({ code, values }: Sentence): string | undefined => {
    const text = texts[code] ?? texts[`${code}_${values.count === 1 ? 'one' : 'other'}`];
    return text === undefined ? undefined : fill(text, values, formats);
  };
}
