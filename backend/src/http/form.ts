import type { Readable } from 'node:stream';
import { texts } from '@lightbox/contract/texts.js';
import { AppError } from '@lightbox/core/errors.js';
import busboy, { type Busboy, type FileInfo } from 'busboy';
import type { Request } from 'express';

const FIELD_BYTES = 8 * 1024;

export interface FormFile {
  stream: Readable & AsyncIterable<Buffer> & { truncated?: boolean };
  info: FileInfo;
}

interface FormOptions {
  /** Name of the one file that is taken; without it a file is refused. */
  file?: string;
  fileBytes?: number;
  onFile?: (file: FormFile) => Promise<void>;
}

/**
 * Reads a multipart form as it arrives. Fields may stand before or after the file; the file is handed over as a stream.
 * Resolves with the fields when all has been read and `onFile` is done.
 */
export async function readForm(req: Request, options: FormOptions = {}): Promise<Record<string, string>> {
  const parser = openParser(req, options.fileBytes ?? 0);
  const fields: Record<string, string> = Object.create(null);
  let file: Promise<void> | null = null;

  const parsed = new Promise<void>((resolve, reject) => {
    let settled = false;
    const fail = (error: unknown) => {
      if (settled) return;
      settled = true;
      req.unpipe(parser);
      // What is still on its way is read and dropped, or the client would never come to read the answer.
      req.resume();
      parser.destroy();
      reject(error);
    };
    parser.on('field', (name, value, info) => {
      if (!name) return fail(malformed('A field has no name.'));
      if (info.valueTruncated)
        return fail(new AppError('PAYLOAD_TOO_LARGE', { message: `The field '${name.slice(0, 40)}' is too long.` }));
      if (name in fields) return fail(malformed(`The field '${name.slice(0, 40)}' was sent twice.`));
      fields[name] = value;
    });
    parser.on('file', (name, stream, info) => {
      // Ending the parser fails the file under way: without a listener that would end the process.
      stream.on('error', () => undefined);
      // A parser that has found a fault reads on to the end of what it holds; what it finds there ends nowhere.
      if (settled) return void stream.resume();
      if (name !== options.file || !options.onFile || file) {
        stream.resume();
        return fail(
          malformed(file ? 'Only one file can be sent.' : `The file field is named '${options.file ?? '-'}'.`),
        );
      }
      file = options.onFile({ stream, info });
      file.catch(fail);
    });
    parser.on('filesLimit', () => fail(malformed('Only one file can be sent.')));
    parser.on('fieldsLimit', () => fail(malformed('Too many fields.')));
    parser.on('partsLimit', () => fail(malformed('Too many fields.')));
    parser.on('error', () => fail(malformed()));
    parser.on('close', () => {
      if (settled) return;
      settled = true;
      resolve();
    });
    req.on('aborted', () => fail(malformed()));
    req.on('error', () => fail(malformed()));
    req.pipe(parser);
  });
  try {
    await parsed;
    await file;
  } finally {
    // Whoever takes the file back after a failure must know of all of it: nothing may be written later.
    await Promise.allSettled([file]);
  }
  return { ...fields };
}

function openParser(req: Request, fileBytes: number): Busboy {
  if (!req.is('multipart/form-data')) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  try {
    // busboy cuts a file that reaches its limit; ours may be reached.
    return busboy({
      headers: req.headers,
      defParamCharset: 'utf8',
      limits: { files: 1, fileSize: fileBytes + 1, fields: 40, fieldSize: FIELD_BYTES, fieldNameSize: 100, parts: 42 },
    });
  } catch {
    throw malformed();
  }
}

const malformed = (message: string = texts.malformedUpload) => new AppError('MALFORMED_UPLOAD', { message });
