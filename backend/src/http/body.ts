import type { CallShape } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { SCIM_JSON } from '@lightbox/contract/scim/calls.js';
import { AppError } from '@lightbox/core/errors.js';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { readForm } from './form.js';

const form = express.urlencoded({ limit: limits.jsonBytes, extended: false, parameterLimit: 20 });
const json = express.json({ limit: limits.jsonBytes, strict: true, type: ['application/json', SCIM_JSON] });

/** Reads the body of a call. It is an object, or the call fails. */
export async function readBody(shape: CallShape, req: Request, res: Response): Promise<unknown> {
  if (shape.multipart === 'also' && req.is('multipart/form-data')) return readForm(req);
  const { headers } = req;
  const isChunked = headers['transfer-encoding'] !== undefined;
  const length = Number(headers['content-length'] ?? 0);
  if (!isChunked && !(length > 0)) return {};
  // Nearly all clients send this type, word for word.
  const isOrdinary = headers['content-type'] === 'application/json' && !shape.form;
  if (!isOrdinary && (!req.is(typesOf(shape)) || !isUtf8(req))) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  if (isOrdinary && !isChunked && length <= limits.jsonBytes && headers['content-encoding'] === undefined) {
    return objectIn(await readText(req));
  }
  await run(shape.form ? form : json, req, res);
  if (!isObject(req.body)) throw new AppError('OBJECT_EXPECTED');
  return req.body;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a body whose length is known and small, as the body parser does, with a third of its work: that one also knows
 * compressed bodies, other encodings, and bodies without a length.
 */
function readText(req: Request): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    // The client is gone.
    const refuse = () => reject(new AppError('BAD_REQUEST'));
    req.on('data', (part: Buffer) => parts.push(part));
    req.once('end', () => {
      req.off('close', refuse);
      resolve((parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString());
    });
    req.once('error', refuse);
    req.once('close', refuse);
    // It was gone before: nothing more happens to the request.
    if (!req.readable) refuse();
  });
}

function objectIn(text: string): unknown {
  let value: unknown;
  try {
    // Some programs begin a text with the mark of its byte order. Without more it is an empty body.
    value = JSON.parse((text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) || '{}');
  } catch {
    throw new AppError('MALFORMED_JSON');
  }
  if (isObject(value)) return value;
  // The body parser takes lists and objects for JSON, and nothing else.
  throw new AppError(Array.isArray(value) ? 'OBJECT_EXPECTED' : 'MALFORMED_JSON');
}

const typesOf = ({ form, who }: CallShape): string[] => [
  form ? 'application/x-www-form-urlencoded' : 'application/json',
  ...(who === 'scim' ? [SCIM_JSON] : []),
];

/** True for UTF-8, the only encoding of JSON (RFC 8259, 8.1). The body parser would also read others. */
const isUtf8 = (req: Request): boolean =>
  /^utf-?8$/i.test(/;\s*charset\s*=\s*"?([^\s";]*)/i.exec(req.get('content-type') ?? '')?.[1] ?? 'utf-8');

/** Runs a middleware of another library as a step of a call. */
export const run = (middleware: RequestHandler, req: Request, res: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    const next: NextFunction = (error?: unknown) => (error ? reject(error) : resolve());
    middleware(req, res, next);
  });
