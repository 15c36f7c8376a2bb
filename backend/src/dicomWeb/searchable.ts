import { encodingOf, startOf } from '@lightbox/core/deidentify/dicom.js';
import { ElementReader } from '@lightbox/core/deidentify/elements.js';
import { atOnce } from '@lightbox/core/deidentify/steps.js';
import { attributeOf, tagText } from './attributes.js';
import { jsonOf } from './json.js';

/** Characters of all values: more are no attributes for a search. */
const CHARACTERS = 16 * 1024;
/** Bytes of one value. */
const VALUE_BYTES = 1024;
const CHARSET = 0x00080005;

/**
 * Returns the attributes of a header by which DICOMweb searches, as text of DICOM's JSON; null when the header cannot be
 * followed.
 */
export function searchableOf(header: Buffer): string | null {
  try {
    const reader = new ElementReader(header, true);
    const { end } = reader.meta(startOf(header));
    const encoding = encodingOf(header, end);
    const { elements } = atOnce(reader.dataSet(end, encoding));
    const wanted = elements.filter(
      ({ tag, from, to }) => (tag === CHARSET || attributeOf(tagText(tag))) && to - from <= VALUE_BYTES,
    );
    const vrOf = (tag: number) => attributeOf(tagText(tag))?.vr ?? 'UN';
    const text = JSON.stringify(jsonOf(header, wanted, encoding, { vrOf }));
    return text.length <= CHARACTERS ? text : null;
  } catch {
    return null;
  }
}
