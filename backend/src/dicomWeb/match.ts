import { type Attribute, attributeOf, includes, type Level } from '@lightbox/core/dicomWeb/attributes.js';
import type { JsonDataSet } from '@lightbox/core/dicomWeb/json.js';

/** A condition of a search. */
export interface Condition {
  attribute: Attribute;
  value: string;
}

/** The conditions of a query, and the names that are none (PS3.18 §8.3.4). */
export interface Query {
  conditions: Condition[];
  unknown: string[];
}

const OTHER = new Set(['limit', 'offset', 'fuzzymatching', 'includefield', 'accept']);

/** Reads the conditions of a search for rows of a level. A condition of a deeper level matches nothing of it. */
export function queryOf(query: Record<string, unknown>, level: Level): Query {
  const found: Query = { conditions: [], unknown: [] };
  for (const [name, given] of Object.entries(query)) {
    if (OTHER.has(name)) continue;
    const attribute = attributeOf(name) ?? computed[name];
    const value = Array.isArray(given) ? given.join('\\') : String(given);
    if (!attribute || !includes(level, attribute.level)) found.unknown.push(name);
    // An empty value matches everything.
    else if (value !== '') found.conditions.push({ attribute, value });
  }
  return found;
}

const modalities: Attribute = { tag: '00080061', keyword: 'ModalitiesInStudy', vr: 'CS', level: 'study' };
/** Attributes that no file has. */
const computed: Record<string, Attribute> = { '00080061': modalities, ModalitiesInStudy: modalities };

/** True when a data set meets the conditions (PS3.4 §C.2.2.2). */
export const matches = (set: JsonDataSet, conditions: readonly Condition[]): boolean =>
  conditions.every(({ attribute, value }) => {
    const values = (set[attribute.tag]?.Value ?? []).filter((one) => one !== null);
    return values.some((one) => matchesOne(one, attribute.vr, value));
  });

const RANGED = new Set(['DA', 'TM']);

function matchesOne(one: unknown, vr: string, wanted: string): boolean {
  if (vr === 'PN') {
    const groups = Object.values(one as Record<string, string>);
    return groups.some((group) => isLike(group.toLowerCase(), wanted.toLowerCase()));
  }
  if (RANGED.has(vr)) return isWithin(String(one), wanted);
  if (vr === 'UI') return uidsIn(wanted).includes(String(one));
  if (vr === 'IS' || vr === 'US') return Number(one) === Number(wanted);
  return isLike(String(one), wanted);
}

/** Returns the UIDs of a list, of which each matches, once each. */
export const uidsIn = (wanted: string): string[] => [...new Set(wanted.split(/[,\\]/).map((uid) => uid.trim()))];

/** A date or a time within a range: `-` before, after or between the ends. A time may leave out minutes and seconds. */
function isWithin(one: string, wanted: string): boolean {
  if (!wanted.includes('-')) return one.startsWith(wanted);
  const [from = '', to = ''] = wanted.split('-', 2);
  return (from === '' || one >= from) && (to === '' || one.slice(0, to.length) <= to);
}

/** Compares with `*` for any text and `?` for any character. Goes back to the last `*` alone, so no pattern is slow. */
function isLike(text: string, pattern: string): boolean {
  let [at, next] = [0, 0];
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++;
      resume = at;
    } else if (next < pattern.length && (pattern[next] === '?' || pattern[next] === text[at])) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[next] === '*') next++;
  return next === pattern.length;
}
