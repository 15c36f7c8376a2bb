import type { z } from 'zod';
import { texts } from './texts.js';

/**
 * Requires exactly one of two optional fields. When both are missing, the error names the first. Reported together with
 * the errors of other fields.
 */
export const oneOf = <S extends z.ZodObject>(schema: S, first: keyof S['shape'] & string, second: typeof first): S => {
  const both = [first, second];
  const count = (value: object) => both.filter((name) => value[name as keyof typeof value] !== undefined).length;
  const when = ({ value }: z.core.ParsePayload) => typeof value === 'object' && value !== null;
  return schema
    .refine((value) => count(value) > 0, { path: [first], error: texts.required, when })
    .refine((value) => count(value) < 2, { path: [second], error: 'Send one of the two.', when });
};
