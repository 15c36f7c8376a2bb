import { stringify } from 'csv-stringify';

/** The headers of a file to keep. */
export const attached = (name: string, contentType: string): Record<string, string> => ({
  'Content-Type': contentType,
  'Content-Disposition': `attachment; filename="${name}"`,
  'X-Content-Type-Options': 'nosniff',
});

export type Cell = string | number | boolean | undefined;

/**
 * RFC 4180, with the mark that tells spreadsheets it is UTF-8. A cell that a spreadsheet would take for a formula gets an
 * apostrophe: names and reasons are what other people typed.
 */
export async function* csv(columns: readonly string[], rows: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  yield `\uFEFF${await csvLines([[...columns]])}`;
  for await (const chunk of rows) yield await csvLines(chunk);
}

/**
 * Where `;` parts cells (Excel in many languages), a new cell begins behind one, and a new row behind a line break, also in
 * the middle of ours. The start of a cell is `escape_formulas`' part.
 */
const withoutFormulas = (text: string): string =>
  text.replace(/([;\r\n]\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'");

const csvLines = (rows: Cell[][]): Promise<string> =>
  new Promise((resolve, reject) =>
    stringify(
      rows,
      {
        escape_formulas: true,
        record_delimiter: 'windows',
        quoted_match: /[\r\n]/,
        cast: { boolean: String, string: withoutFormulas },
      },
      (error, text) => (error ? reject(error) : resolve(text)),
    ),
  );
