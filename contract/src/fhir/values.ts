import { z } from 'zod';
import { limits } from '../limits.js';

/** A value of a date parameter (R4 §3.1.1.4.5): the comparison, and the time that the value names, whole days for a date. */
export interface DateValue {
  prefix: DatePrefix;
  from: Date;
  until: Date;
}
export const datePrefixes = ['eq', 'gt', 'lt', 'ge', 'le', 'sa', 'eb'] as const;
export type DatePrefix = (typeof datePrefixes)[number];

/** A value of a reference parameter, `id`, `Patient/id` or an address. `server` and `type`: null where it names none. */
export interface ReferenceValue {
  server: string | null;
  type: string | null;
  id: string;
}

const PARTS =
  /^(eq|gt|lt|ge|le|sa|eb)?(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

/** Returns the value, or null for a text that names no time. A time without a zone is UTC. */
function dateValue(text: string): DateValue | null {
  const [, prefix = 'eq', year = '', month, day, hour, minute, second, fraction, zone = 'Z'] = PARTS.exec(text) ?? [];
  const start = new Date(
    `${year}-${month ?? '01'}-${day ?? '01'}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}${fraction?.slice(0, 4) ?? ''}${zone}`,
  );
  if (Number.isNaN(start.getTime()) || year === '0000') return null;
  // `Date` takes the 31st of each month.
  if (day !== undefined && new Date(`${year}-${month}-${day}`).getUTCDate() !== Number(day)) return null;
  const until = new Date(start);
  if (month === undefined) until.setUTCFullYear(until.getUTCFullYear() + 1);
  else if (day === undefined) until.setUTCMonth(until.getUTCMonth() + 1);
  else until.setTime(start.getTime() + lengthOf({ hour, second, fraction }));
  return { prefix: prefix as DatePrefix, from: start, until };
}

const lengthOf = (named: { hour: string | undefined; second: string | undefined; fraction: string | undefined }) =>
  named.hour === undefined ? 86_400_000 : named.second === undefined ? 60_000 : named.fraction === undefined ? 1000 : 1;

const text = z.string().min(1).max(limits.fhirValue);

/** A parameter may be there several times: all its values must match. Of values behind commas one is enough. */
const several = <S extends z.ZodType>(one: S) =>
  z.union([one.transform((value) => [value]), z.array(one).min(1).max(limits.fhirRepeats)]).optional();

const alternatives = (value: string): string[] => value.split(',').slice(0, limits.fhirAlternatives);

/** Returns the code of a token; none when it names another system than the one of the parameter. */
function codesOf(one: string, system: string | null): string[] {
  const bar = one.indexOf('|');
  if (bar < 0) return [one];
  return one.slice(0, bar) === system ? [one.slice(bar + 1)] : [];
}

function referenceValue(one: string): ReferenceValue {
  const [id = '', type = null, ...server] = one.split('/').reverse();
  return { server: server.length > 0 ? server.reverse().join('/') : null, type, id };
}

/** The types of search parameters that the server knows, as FHIR names them. */
export const searchTypes = {
  token: (system: string | null) =>
    several(text.transform((value) => alternatives(value).flatMap((one) => codesOf(one, system)))),
  reference: () => several(text.transform((value) => alternatives(value).map(referenceValue))),
  string: () => several(text.transform(alternatives)),
  date: () =>
    several(
      z
        .string()
        .max(40)
        .regex(PARTS, 'Must be a date or a time, with eq, gt, lt, ge, le, sa or eb before it.')
        .transform((value, context) => {
          const date = dateValue(value);
          if (date) return date;
          context.addIssue({ code: 'custom', message: 'There is no such date.' });
          return z.NEVER;
        }),
    ),
};
export type SearchType = keyof typeof searchTypes;
