import type { ByteRange } from '@lightbox/core/blobs/store.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Request, Response } from 'express';

const single = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Returns the range that a GET asks for (RFC 9110, 14.2), or null for the whole: another unit, several ranges and a
 * malformed range are ignored. `If-Range` never matches, because protected content has no validator. Throws 416 when no
 * byte of the range exists.
 */
export function rangeOf({ req, res }: { req: Request; res: Response }, size: number): ByteRange | null {
  const header = req.get('range');
  if (req.method !== 'GET' || header === undefined || req.get('if-range') !== undefined) return null;
  const [, first = '', last = ''] = single.exec(header) ?? [];
  if (first === '' && last === '') return null;
  const range =
    first === ''
      ? { from: Math.max(0, size - Number(last)), to: size }
      : { from: Number(first), to: last === '' ? size : Math.min(size, Number(last) + 1) };
  // A range that ends before it begins is malformed.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  if (range.from < range.to) return range;
  res.setHeader('Content-Range', `bytes */${size}`);
  throw new AppError('RANGE_NOT_SATISFIABLE');
}
