import { doors } from '@lightbox/contract/doors.js';
import type { DateValue, ReferenceValue } from '@lightbox/contract/fhir/values.js';
import { oid } from '@lightbox/core/db/ids.js';
import { DAY_MS } from '@lightbox/core/times.js';
import type { Gateway } from '../context.js';

type Filter = Record<string, unknown>;

/** Matches no record. */
const nothing: Filter = { _id: { $in: [] } };

const isId = (text: string): boolean => /^[0-9a-f]{24}$/i.test(text);
const idsOf = (codes: readonly string[]) => codes.filter(isId).map(oid);

/** The filters of `_id`, or of another token that names a record by its id. */
export const byId = (values: readonly string[][] = []): Filter[] =>
  values.map((codes) => ({ _id: { $in: idsOf(codes) } }));

/** The filters of a reference to a patient. One to another server, or to another type, names nobody here. */
export function byPatient(
  { config }: Pick<Gateway, 'config'>,
  ...references: (readonly ReferenceValue[][] | undefined)[]
): Filter[] {
  const here = `${config.publicUrl}${doors.fhir}`;
  const own = ({ server, type }: ReferenceValue) =>
    (server === null || server === here) && (type === null || type === 'Patient');
  return references.flatMap((values = []) =>
    values.map((among) => ({ patient: { $in: idsOf(among.filter(own).map(({ id }) => id)) } })),
  );
}

/** The filters of a token whose value is the same for all records. */
export const byConstant = (values: readonly string[][] = [], constant: string): Filter[] =>
  values.some((codes) => !codes.includes(constant)) ? [nothing] : [];

/** The filters of a token that is a field. `stored`: the values of the field that a code stands for. */
export const byCode = (
  values: readonly string[][] = [],
  field: string,
  stored: (code: string) => unknown[] = (code) => [code],
): Filter[] => values.map((codes) => ({ [field]: { $in: codes.flatMap(stored) } }));

/** The filters of a date, for a field that holds a moment. */
export const byMoment = (values: readonly DateValue[] = [], field: string): Filter[] =>
  values.map(({ prefix, from, until }) => {
    const conditions = {
      eq: { $gte: from, $lt: until },
      gt: { $gte: until },
      sa: { $gte: until },
      ge: { $gte: from },
      lt: { $lt: from },
      eb: { $lt: from },
      le: { $lt: until },
    };
    return { [field]: conditions[prefix] };
  });

/** As text greater than every day. */
const AFTER_ALL = '9999-12-32';
function dayText(days: number): string {
  const text = new Date(days * DAY_MS).toISOString();
  // A year of five digits begins with a sign, which is smaller than every digit.
  return text.startsWith('+') ? AFTER_ALL : text.slice(0, 10);
}
const dayOf = (time: Date): string => dayText(Math.floor(time.getTime() / DAY_MS));
const dayFrom = (time: Date): string => dayText(Math.ceil(time.getTime() / DAY_MS));

/** The filters of a date, for a field that holds a day, `YYYY-MM-DD`. A day is compared as the time from its start to its end. */
export const byDay = (values: readonly DateValue[] = [], field: string): Filter[] =>
  values.map(({ prefix, from, until }) => {
    const conditions = {
      eq: { $gte: dayFrom(from), $lt: dayOf(until) },
      gt: { $gte: dayOf(until) },
      sa: { $gte: dayFrom(until) },
      ge: { $gte: dayOf(from) },
      lt: { $lt: dayFrom(from) },
      eb: { $lt: dayOf(from) },
      le: { $lt: dayFrom(until) },
    };
    return { [field]: conditions[prefix] };
  });

/** All filters together. */
export const all = (...filters: object[]): Filter => ({ $and: [{}, ...filters] });
