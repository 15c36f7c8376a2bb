import type { FieldError } from '@lightbox/contract/envelope.js';
import { texts } from '@lightbox/contract/texts.js';
import { AppError } from '@lightbox/core/errors.js';
import type { z } from 'zod';

/** Returns the parsed value. Throws `VALIDATION_FAILED` with all faults at once. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = tryParse(schema, value);
  if (result.success) return result.data;
  throw new AppError('VALIDATION_FAILED', { errors: fieldErrors(result.error.issues) });
}

/** Parses a value. A field that is absent or of another type is called required, unless its schema has words of its own. */
export const tryParse = <S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> =>
  schema.safeParse(value, { error: ({ code }) => (code === 'invalid_type' ? texts.required : undefined) });

export function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  const errors = issues.flatMap(errorsOf);
  const seen = new Set<string>();
  return errors.filter(({ field }) => !seen.has(field) && seen.add(field));
}

function errorsOf(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...issue.path, key].join('.'), message: 'This field is not known.' }));
  }
  if (issue.code === 'invalid_union') {
    // Report the alternative with the fewest faults: it is most likely the one that was meant.
    const [nearest = []] = [...issue.errors].sort((a, b) => weight(a) - weight(b));
    return nearest.flatMap((inner) => errorsOf({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  return [{ field: issue.path.join('.') || 'body', message: issue.message }];
}

const weight = (issues: readonly z.core.$ZodIssue[]) =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
