import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The truth of the clinic: for each file the labels that were judged. */
export interface LabelTable {
  labels: string[];
  rows: { file: string; truth: Map<string, boolean> }[];
}

/** The input cannot be used. The message is for the person at the keyboard. */
export class LabelsRefused extends Error {
  override name = 'LabelsRefused';
}

const truths: Record<string, boolean> = { '1': true, yes: true, true: true, '0': false, no: false, false: false };

/**
 * Reads a table with a heading `file,LABEL,LABEL,…` and a row for each file: 1 or 0, or nothing where nobody judged.
 * Quotes as in RFC 4180.
 */
export function readLabels(text: string): LabelTable {
  const [heading = [], ...lines] = cells(text.replace(/^\uFEFF/, ''));
  const [first, ...labels] = heading.map((cell) => cell.trim());
  if (first !== 'file' || labels.length === 0)
    throw new LabelsRefused('The labels need a heading such as "file,Fracture,Effusion".');
  const twice = labels.find((label, at) => labels.indexOf(label) !== at || label === '');
  if (twice !== undefined) throw new LabelsRefused(`The heading names the label "${twice}" twice, or not at all.`);
  const seen = new Set<string>();
  const rows = lines.map((line, at) => {
    const [file = '', ...values] = line.map((cell) => cell.trim());
    const where = `Line ${at + 2}`;
    if (file === '' || values.length !== labels.length)
      throw new LabelsRefused(`${where} needs a file and ${labels.length} values.`);
    if (seen.has(file)) throw new LabelsRefused(`${where} names the file "${file}" a second time.`);
    seen.add(file);
    const truth = new Map<string, boolean>();
    for (const [index, value] of values.entries()) {
      if (value === '') continue;
      const judged = truths[value.toLowerCase()];
      if (judged === undefined) throw new LabelsRefused(`${where} has the value "${value}": write 1, 0 or nothing.`);
      truth.set(labels[index] ?? '', judged);
    }
    return { file, truth };
  });
  if (rows.length === 0) throw new LabelsRefused('The labels name no file.');
  return { labels, rows };
}

/** Throws unless every file is there, and the provider has every label. */
export function requireUsable(
  { labels, rows }: LabelTable,
  folder: string,
  known: readonly string[] | undefined,
): void {
  const away = rows.filter(({ file }) => !existsSync(join(folder, file))).map(({ file }) => file);
  if (away.length > 0) {
    const more = away.length > 5 ? `, and ${away.length - 5} more` : '';
    throw new LabelsRefused(`These files are not in ${folder}: ${away.slice(0, 5).join(', ')}${more}.`);
  }
  const unknown = known ? labels.filter((label) => !known.includes(label)) : [];
  if (known && unknown.length > 0)
    throw new LabelsRefused(`The provider has no label "${unknown.join('", "')}". It has: ${known.join(', ')}.`);
}

/** Splits the text into lines of cells. Empty lines are left out. */
function cells(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== ',') lines.push([]);
    if (end === '') break;
  }
  return lines.filter((line) => line.some((cell) => cell.trim() !== ''));
}
