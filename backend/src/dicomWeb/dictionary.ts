import { createRequire } from 'node:module';
import { attributeOf, tagText } from '@lightbox/core/dicomWeb/attributes.js';

/** The part of dcmjs that is used. It is a CommonJS bundle without types. */
interface Dcmjs {
  data: { DicomMetaDictionary: { dictionary: Record<string, { vr: string } | undefined> } };
}
const require = createRequire(import.meta.url);

/** VRs of the dictionary that stand for one of several. */
const oneOf: Record<string, string> = { ox: 'OW', lt: 'OW', up: 'UL', na: 'UN' };

/** Returns the VR that the standard gives an element (PS3.6), or `UN` for one that is unknown or private. */
export function vrOf(tag: number, signed: boolean): string {
  const text = tagText(tag);
  const known = attributeOf(text)?.vr;
  if (known) return known;
  // Loaded with the first file that needs it.
  const { dictionary } = (require('dcmjs') as Dcmjs).data.DicomMetaDictionary;
  const vr = dictionary[`(${text.slice(0, 4)},${text.slice(4)})`]?.vr ?? 'UN';
  // Values of pixels.
  if (vr === 'xs') return signed ? 'SS' : 'US';
  return oneOf[vr] ?? vr;
}
