import { startOf } from '../deidentify/dicom.js';
import { ElementReader } from '../deidentify/elements.js';
import { atOnce } from '../deidentify/steps.js';
import { encodingOf } from '../imaging/encoding.js';
import type { Head } from '../imaging/head.js';
import { attributeOf, tagText } from './attributes.js';
import { jsonOf } from './json.js';

/** Characters of all values: more are no attributes for a search. */
const CHARACTERS = 16 * 1024;
/** Bytes of one value. */
const VALUE_BYTES = 1024;
const CHARSET = 0x00080005;

const vrOf = (tag: number): string => attributeOf(tagText(tag))?.vr ?? 'UN';

/**
 * Returns the attributes of a header by which DICOMweb searches, as text of DICOM's JSON; null when the header cannot be
 * followed.
 */
export function searchableOf(header: Buffer): string | null {
  try {
    const reader = new ElementReader(header, true);
    const { end } = reader.meta(startOf(header));
    const encoding = encodingOf(header, end);
    return searchableIn({ bytes: header, encoding, ...atOnce(reader.dataSet(end, encoding)) });
  } catch {
    return null;
  }
}

/** Returns the same of a header that was read. Null when it is too long for a search. */
export function searchableIn({
  bytes,
  elements,
  encoding,
}: Pick<Head, 'bytes' | 'elements' | 'encoding'>): string | null {
  const wanted = elements.filter(
    ({ tag, from, to }) => (tag === CHARSET || attributeOf(tagText(tag))) && to - from <= VALUE_BYTES,
  );
  const text = JSON.stringify(jsonOf(bytes, wanted, encoding, { vrOf }));
  return text.length <= CHARACTERS ? text : null;
}
