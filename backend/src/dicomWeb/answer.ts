import { doors } from '@lightbox/contract/doors.js';
import type { Gateway } from '../context.js';
import { guarded } from '../images/imageBytes.js';

/** Exactly this, without a character set: clients compare it. */
export const DICOM_JSON = 'application/dicom+json';

/** The headers of an answer in DICOM's JSON. */
export const jsonHeaders = (): Record<string, string> => guarded(DICOM_JSON);

/** Returns the address of a study, series or instance. */
export function addressOf(
  { config }: Gateway,
  { study, series, instance }: { study: string; series?: string | undefined; instance?: string | undefined },
): string {
  const path = [study, ...(series ? ['series', series] : []), ...(instance ? ['instances', instance] : [])];
  return `${config.publicUrl}${doors.dicomWeb}/studies/${path.join('/')}`;
}

/** Yields an array of JSON, one row at a time. */
export async function* jsonArray(rows: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
