import type { BurnedIn } from '@lightbox/contract/images/drawing.js';

export interface BurnedInFacts {
  /** Burned In Annotation (0028,0301). */
  flag: string;
  modality: string;
  /** The values of Image Type (0008,0008). */
  imageType: readonly string[];
  /** Conversion Type (0008,0064): present in pictures of a screen or of a film. */
  conversionType: string;
  hasPixels: boolean;
}

/** Modalities whose pictures often are pictures of a screen. */
const SCREENS = new Set(['ES', 'GM', 'OT', 'SC', 'US', 'XC']);

/** Guesses whether a person's name is written into the picture itself, by the flag and by the kind of picture. */
export function guessBurnedIn({ flag, modality, imageType, conversionType, hasPixels }: BurnedInFacts): BurnedIn {
  if (flag === 'YES') return 'yes';
  if (flag === 'NO' || !hasPixels) return 'no';
  const captured = conversionType !== '' || imageType.includes('SECONDARY');
  return captured || SCREENS.has(modality) ? 'likely' : 'unknown';
}
