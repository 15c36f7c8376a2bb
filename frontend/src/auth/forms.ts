import type { FieldValues, Path, UseFormSetError } from 'react-hook-form';
import { fieldText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { toast } from '../lib/toaster';

/**
 * Puts the server's field errors where they belong, and says the ones that have no field here as toasts. True when there
 * was anything to place.
 */
export function placeErrors<Values extends FieldValues>(
  error: unknown,
  fields: readonly Path<Values>[],
  setError: UseFormSetError<Values>,
): boolean {
  if (!(error instanceof ApiError) || error.errors.length === 0) return false;
  let first = true;
  for (const { field, message } of error.errors) {
    const known = fields.find((name) => name === field);
    if (known) {
      setError(known, { type: 'server', message }, { shouldFocus: first });
      first = false;
    } else toast.error(fieldText({ field, message }));
  }
  return true;
}
