import { writeFileSync } from 'node:fs';
import { median } from './stats.js';

/** One line of the report. */
export interface Row {
  job: string;
  measure: string;
  value: string;
  /** The expected value. `met` is true when the figure satisfies it. */
  goal?: string;
  met?: boolean;
}

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));

/** Returns `median (lowest..highest)` of several rounds. */
export const spread = (figures: number[]): string =>
  `${digits(median(figures))} (${digits(Math.min(...figures))}..${digits(Math.max(...figures))})`;

/** Returns a row for a figure with a goal. */
export function judged(job: string, measure: string, figure: number, goal: string, met: boolean): Row {
  return { job, measure, value: digits(figure), goal, met };
}

export const plain = (job: string, measure: string, value: string | number): Row => ({
  job,
  measure,
  value: typeof value === 'number' ? digits(value) : value,
});

const verdict = ({ goal, met }: Row): string => (goal ? `${goal}: ${met ? 'met' : 'NOT MET'}` : '');

export function printTable(rows: Row[]): void {
  const cells = [
    ['job', 'measure', 'value', 'goal'],
    ...rows.map((row) => [row.job, row.measure, row.value, verdict(row)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  console.log(`\n${lines.join('\n')}\n`);
}

export const writeJson = (file: string, rows: Row[]): void => writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
