import { AppError } from '@lightbox/core/errors.js';
import type { Request } from 'express';
import { type Accepted, isAny, isLike, takesJson } from '../http/accept.js';
import { DICOM_JSON } from './answer.js';

/** Throws when the client takes no JSON. There is no other form of headers and searches. */
export function requireJson(req: Request): void {
  if (!takesJson(req, DICOM_JSON)) throw new AppError('NOT_ACCEPTABLE');
}

/** True when a part of this type and transfer syntax is accepted as a part of `multipart/related`. */
export const takesPart = (accepted: Accepted, type: string): boolean =>
  isAny(accepted.type) ||
  accepted.type === 'multipart/*' ||
  (accepted.type === 'multipart/related' && (accepted.part === null || isLike(accepted.part, type)));

/** True when the syntax is the accepted one, or any is. */
export const takesSyntax = ({ syntax }: Accepted, stored: string): boolean =>
  syntax === null || syntax === '*' || syntax === stored;
