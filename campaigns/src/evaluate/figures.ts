/** One judged file: the truth of a label, and the probability that the provider gave it. */
export interface Judged {
  truth: boolean;
  score: number;
}

export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** Half the width of a 95 % interval, in standard errors. */
const Z = 1.959964;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Returns the area under the ROC curve with its 95 % interval (DeLong 1988); null when a file of either truth is missing.
 * The interval is null with one file of a truth, whose variance is not known.
 */
export function auc(judged: readonly Judged[]): { value: number; interval: [number, number] | null } | null {
  const scores = (truth: boolean) => judged.filter((one) => one.truth === truth).map(({ score }) => score);
  const [positive, negative] = [scores(true), scores(false)];
  if (positive.length === 0 || negative.length === 0) return null;
  const wins = (a: number, b: number) => (a > b ? 1 : a === b ? 0.5 : 0);
  const ofPositive = positive.map((score) => mean(negative.map((other) => wins(score, other))));
  const ofNegative = negative.map((score) => mean(positive.map((other) => wins(other, score))));
  const value = mean(ofPositive);
  if (positive.length < 2 || negative.length < 2) return { value, interval: null };
  const variance = varianceOf(ofPositive) / positive.length + varianceOf(ofNegative) / negative.length;
  const half = Z * Math.sqrt(variance);
  return { value, interval: [Math.max(0, value - half), Math.min(1, value + half)] };
}

function varianceOf(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}

/** Returns a share with its 95 % interval (Wilson 1927); null without cases. */
export function share(hits: number, cases: number): Interval | null {
  if (cases === 0) return null;
  const value = hits / cases;
  const scale = 1 + Z ** 2 / cases;
  const centre = (value + Z ** 2 / (2 * cases)) / scale;
  const half = (Z / scale) * Math.sqrt((value * (1 - value)) / cases + Z ** 2 / (4 * cases ** 2));
  return { value, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Counts a probability of at least `threshold` as positive. */
export function atThreshold(judged: readonly Judged[], threshold: number) {
  const count = (truth: boolean, positive: boolean) =>
    judged.filter((one) => one.truth === truth && one.score >= threshold === positive).length;
  const [hits, missed, rejected, alarms] = [
    count(true, true),
    count(true, false),
    count(false, false),
    count(false, true),
  ];
  return {
    truePositive: hits,
    falseNegative: missed,
    trueNegative: rejected,
    falsePositive: alarms,
    sensitivity: share(hits, hits + missed),
    specificity: share(rejected, rejected + alarms),
  };
}

/** Returns the mean squared distance of the probabilities from the truth: 0 is best, 0.25 is a coin. */
export const brier = (judged: readonly Judged[]): number | null =>
  judged.length === 0 ? null : mean(judged.map(({ truth, score }) => (score - Number(truth)) ** 2));

export interface Bin {
  from: number;
  to: number;
  count: number;
  /** The mean of the probabilities, and the share of the files in which the label was true. */
  said: number;
  found: number;
}

const BINS = 10;

/** Returns the files in ten equal steps of probability. Steps without files are left out. */
export function reliability(judged: readonly Judged[]): Bin[] {
  return Array.from({ length: BINS }, (_, at) => {
    const within = judged.filter(({ score }) => Math.min(BINS - 1, Math.floor(score * BINS)) === at);
    return {
      from: at / BINS,
      to: (at + 1) / BINS,
      count: within.length,
      said: mean(within.map(({ score }) => score)),
      found: mean(within.map(({ truth }) => Number(truth))),
    };
  }).filter(({ count }) => count > 0);
}

/** Returns the expected calibration error: the mean distance of `said` from `found`, weighted by the files. */
export function calibrationError(judged: readonly Judged[]): number | null {
  if (judged.length === 0) return null;
  return (
    reliability(judged).reduce((sum, { count, said, found }) => sum + count * Math.abs(said - found), 0) / judged.length
  );
}

export interface Figures {
  files: number;
  positive: number;
  auc: ReturnType<typeof auc>;
  threshold: number;
  at: ReturnType<typeof atThreshold>;
  brier: number | null;
  calibrationError: number | null;
  reliability: Bin[];
}

export const figuresOf = (judged: readonly Judged[], threshold: number): Figures => ({
  files: judged.length,
  positive: judged.filter(({ truth }) => truth).length,
  auc: auc(judged),
  threshold,
  at: atThreshold(judged, threshold),
  brier: brier(judged),
  calibrationError: calibrationError(judged),
  reliability: reliability(judged),
});
