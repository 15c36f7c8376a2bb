/** Pictures that `scripts/make-samples.mjs` generates. They show no patient, so everybody with the address may see them. */
export const samples = [
  { id: 'chest-xray', hours: 24 },
  { id: 'chest-ct', hours: 12 },
  { id: 'hand-xray', hours: 48 },
  { id: 'liver-ultrasound', hours: 72 },
] as const;
export type Sample = (typeof samples)[number];

export const pictureOf = (sample: Sample) => `/samples/${sample.id}.webp`;
export const addressOfSample = (sample: Sample) => `${location.origin}${pictureOf(sample)}`;
