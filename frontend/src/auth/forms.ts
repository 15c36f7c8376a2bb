import { fieldText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { toast } from '../lib/toaster';

/**
 * Shows each field error of the server at its field, or in a toast if the form does not have that field. Returns false
 * when the error has no field errors.
 */
export function placeErrors<Name extends string>(
  error: unknown,
  fields: readonly Name[],
  setError: (name: Name, fault: { type: 'server'; message: string }, options: { shouldFocus: boolean }) => void,
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
