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
  /** Field name of the one file that is accepted. Without it every file is refused. */
  file?: string;
  fileBytes?: number;
  onFile?: (file: FormFile) => Promise<void>;
}

/**
 * Reads a multipart form as it arrives. Fields may come before or after the file; the file is passed to `onFile` as a
 * stream. Resolves with the fields when everything is read and `onFile` is done.
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
      // Read and drop the rest of the request, or the client would never read the answer.
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
      // Destroying the parser emits an error on the file's stream: without a listener that would end the process.
      stream.on('error', () => undefined);
      // After a fault the parser still parses the bytes that it holds: drop the files that it finds there.
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
    // Wait for `onFile` also after a failure: the caller then removes the file, and nothing may be written after that.
    await Promise.allSettled([file]);
  }
  return { ...fields };
}

function openParser(req: Request, fileBytes: number): Busboy {
  if (!req.is('multipart/form-data')) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  try {
    // busboy truncates a file that reaches its limit, but a file of exactly our limit is allowed.
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
