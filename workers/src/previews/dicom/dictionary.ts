import { createRequire } from 'node:module';

interface Entry {
  tag: string;
  vr: string;
  name: string;
}

// A CommonJS bundle without types: Node cannot see its export names from an ES module.
const { data } = createRequire(import.meta.url)('dcmjs') as {
  data: { DicomMetaDictionary: { dictionary: Record<string, Entry> } };
};
const { dictionary } = data.DicomMetaDictionary;

/** VRs of the dictionary that stand for one of several. */
const oneOf: Record<string, string> = { xs: 'US', ox: 'OW', lt: 'OW', up: 'UL', na: '' };

const hex = (tag: number): string => tag.toString(16).padStart(8, '0');

function entryOf(tag: number): Entry | undefined {
  const text = hex(tag).toUpperCase();
  return dictionary[`(${text.slice(0, 4)},${text.slice(4)})`];
}

/** Returns the VR that the standard gives an element (PS3.6), or `UN` when the element is unknown or private. */
export function vrOf(tag: number): string {
  const vr = entryOf(tag)?.vr;
  return vr === undefined ? 'UN' : (oneOf[vr] ?? vr);
}

/** Returns the keyword of an element (PS3.6), such as `PatientName`. */
export const keywordOf = (tag: number): string | undefined => entryOf(tag)?.name;

/** Returns group and element as eight hexadecimal digits. */
export const tagText = hex;
