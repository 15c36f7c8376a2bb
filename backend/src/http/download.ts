import { stringify } from 'csv-stringify';

/** Returns the headers of a file that the browser saves. */
export const attached = (name: string, contentType: string): Record<string, string> => ({
  'Content-Type': contentType,
  'Content-Disposition': `attachment; filename="${name}"`,
  'X-Content-Type-Options': 'nosniff',
});

export type Cell = string | number | boolean | undefined;

/**
 * Writes CSV (RFC 4180) with a byte order mark, by which spreadsheets recognise UTF-8. A cell that a spreadsheet would
 * take for a formula gets an apostrophe: names and reasons are typed by other people.
 */
export async function* csv(columns: readonly string[], rows: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  yield `\uFEFF${await csvLines([[...columns]])}`;
  for await (const chunk of rows) yield await csvLines(chunk);
}

/**
 * Escapes formulas inside a cell. In many languages Excel separates cells by `;`, so a new cell can begin after a `;`
 * of ours, and a new row after a line break. `escape_formulas` covers the start of a cell.
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
