/** A double holds every decimal number of so many digits, so none that a provider gave is lost, and none is made up. */
const DIGITS = 15;

/** Returns a probability in per cent, without the noise that the multiplication adds to it. */
export const perCent = (probability: number): number => Number((probability * 100).toPrecision(DIGITS));

/** Writes a probability as its provider gave it: no digit is rounded away. The screen and the report both show this. */
export const probabilityText = (probability: number, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: DIGITS }).format(probability);
