import type { Figures, Interval } from './figures.js';

/** The result of an evaluation: everything that its report says. No name of a file, which may name a person. */
export interface Evaluation {
  at: string;
  provider: string;
  model: string;
  modelVersion: string | null;
  threshold: number;
  files: number;
  /** Files without a result, by the reason. */
  failed: Record<string, number>;
  /** By label; in each of them all files, and then those of each modality. */
  figures: { label: string; modality: string; of: Figures }[];
}

const number = (value: number | null) => (value === null ? '–' : value.toFixed(3));
const range = (found: Interval | null) =>
  found ? `${number(found.value)} (${number(found.low)} to ${number(found.high)})` : '–';

function aucOf({ auc }: Figures): string {
  if (!auc) return '–';
  return auc.interval ? `${number(auc.value)} (${auc.interval.map(number).join(' to ')})` : `${number(auc.value)} (–)`;
}

const row = (cells: readonly (string | number)[]) =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (string | number)[][]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/** Returns the report in Markdown. */
export function reportOf({ at, provider, model, modelVersion, threshold, files, failed, figures }: Evaluation): string {
  const reasons = Object.entries(failed);
  const whole = figures.filter(({ modality }) => modality === 'all');
  return [
    '# Evaluation of an analysis provider',
    table(
      ['', ''],
      [
        ['Made', at],
        ['Provider', provider],
        ['Model', model],
        ['Version of the model', modelVersion ?? '–'],
        ['Files', files],
        ['Files without a result', reasons.reduce((sum, [, count]) => sum + count, 0)],
        ['Threshold', threshold],
      ],
    ),
    'Intervals are 95 % intervals: DeLong for the AUC, Wilson for sensitivity and specificity. "–": not enough files.',
    '## Figures',
    figures.length === 0
      ? 'The provider gives no probabilities, so there are no figures.'
      : table(
          ['Label', 'Modality', 'Files', 'Positive', 'AUC', 'Sensitivity', 'Specificity', 'Brier', 'Calibration error'],
          figures.map(({ label, modality, of }) => [
            label,
            modality,
            of.files,
            of.positive,
            aucOf(of),
            range(of.at.sensitivity),
            range(of.at.specificity),
            number(of.brier),
            number(of.calibrationError),
          ]),
        ),
    ...whole.flatMap(({ label, of }) => [
      `## Reliability: ${label}`,
      table(
        ['Probability', 'Files', 'Said on average', 'True'],
        of.reliability.map(({ from, to, count, said, found }) => [
          `${from.toFixed(1)} to ${to.toFixed(1)}`,
          count,
          number(said),
          number(found),
        ]),
      ),
    ]),
    ...(reasons.length > 0
      ? [
          '## Files without a result',
          table(
            ['Reason', 'Files'],
            reasons.map(([reason, count]) => [reason, count]),
          ),
        ]
      : []),
    '',
  ].join('\n\n');
}
