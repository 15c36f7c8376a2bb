import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import type { Response } from 'express';

interface File {
  name: string;
  contentType: string;
}

/**
 * Sends what comes in pieces as a file to keep: no more than a few pieces are in memory at once, whatever the reader's
 * pace. The first one is there before anything is answered, so that what cannot be read is an error and not an empty file.
 */
export async function sendFile(
  res: Response,
  file: File,
  pieces: AsyncGenerator<string>,
  record: () => Promise<void>,
): Promise<void> {
  const first = await pieces.next();
  await record();
  res.setHeader('Content-Type', file.contentType);
  res.setHeader('Content-Disposition', `attachment; filename="${file.name}"`);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  await pipeline(Readable.from(rejoin(first, pieces)), res);
}

async function* rejoin(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (!first.done) yield first.value;
  yield* rest;
}

export type Cell = string | number | boolean | undefined;

/**
 * RFC 4180, with the mark that tells spreadsheets it is UTF-8. A cell that a spreadsheet would take for a formula gets an
 * apostrophe: names and reasons are what other people typed.
 */
export async function* csv(columns: readonly string[], rows: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  yield `\uFEFF${await csvLines([[...columns]])}`;
  for await (const piece of rows) yield await csvLines(piece);
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
