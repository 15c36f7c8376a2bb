import { MIMEType } from 'node:util';
import type { Request } from 'express';

/** A media type that a client accepts, with the parameters of DICOMweb (PS3.18 §8.7). Others, as `charset`, choose nothing. */
export interface Accepted {
  /** Without parameters, as `multipart/related`. */
  type: string;
  /** The type of the parts. */
  part: string | null;
  /** The transfer syntax, or `*` for any. */
  syntax: string | null;
}

const everything: Accepted = { type: '*/*', part: null, syntax: null };
const ONE = /(?:[^,"]|"(?:\\.|[^"\\])*")+/g;

/** Returns what a client accepts: by its weights, and of one weight in its order. A type that cannot be read is left out. */
export function acceptedBy(req: Request): Accepted[] {
  const header = req.get('accept')?.trim() ?? '';
  if (header === '') return [everything];
  return (header.match(ONE) ?? [])
    .flatMap((text): (Accepted & { weight: number })[] => {
      try {
        const { essence, params } = new MIMEType(text.trim());
        const part = params.get('type')?.toLowerCase() ?? null;
        const weight = Number(params.get('q') ?? 1);
        const syntax = params.get('transfer-syntax');
        return [{ type: essence, part, syntax, weight: Number.isNaN(weight) ? 1 : weight }];
      } catch {
        return [];
      }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
}

/** True when a body of this type is accepted by itself. */
export const takesWhole = (accepted: Accepted, type: string): boolean => isLike(accepted.type, type);

/** True when JSON is accepted, as itself or as this form of it. */
export const takesJson = (req: Request, form: string): boolean =>
  acceptedBy(req).some((one) => takesWhole(one, form) || takesWhole(one, 'application/json'));

export const isAny = (type: string): boolean => type === '*/*' || type === '*';
export const isLike = (accepted: string, type: string): boolean =>
  isAny(accepted) || accepted === type || (accepted.endsWith('/*') && type.startsWith(accepted.slice(0, -1)));
