import type { z } from 'zod';
import { texts } from './texts.js';

/**
 * Requires exactly one of these optional fields. When all are missing, the error names the first. Reported together with
 * the errors of other fields.
 */
export const oneOf = <S extends z.ZodObject>(schema: S, ...names: (keyof S['shape'] & string)[]): S => {
  const given = (value: object) => names.filter((name) => value[name as keyof typeof value] !== undefined);
  const when = ({ value }: z.core.ParsePayload) => typeof value === 'object' && value !== null;
  return schema
    .refine((value) => given(value).length > 0, { path: names.slice(0, 1), error: texts.required, when })
    .refine((value) => given(value).length < 2, { path: names.slice(1, 2), error: 'Send one of them.', when });
};
