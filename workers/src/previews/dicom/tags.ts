import type { TagRow } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import type { DataSet, Element } from './dataSet.js';
import type { DicomFile } from './dicomFile.js';
import { keywordOf, tagText } from './dictionary.js';

const VALUE_LENGTH = 256;
/** Characters of all values, so that the rows fit into a document. */
const CHARACTERS = 1_000_000;
/** VRs of bytes that are no text (PS3.5 §6.2). */
const BINARY = new Set(['OB', 'OW', 'OF', 'OD', 'OL', 'OV', 'UN']);

/** Returns one row for each element of a file, in the order of the file, as far as they fit into a document. */
export function tagRows({ meta, set }: DicomFile): TagRow[] {
  const table: Table = { rows: [], characters: 0 };
  for (const part of [meta, set]) if (part) addRows(table, part, 0);
  return table.rows;
}

interface Table {
  rows: TagRow[];
  characters: number;
}

function addRows(table: Table, set: DataSet, depth: number): void {
  for (const element of set.elements.values()) {
    if (table.rows.length >= limits.tagRows || table.characters > CHARACTERS) return;
    const value = textOf(set, element);
    table.characters += value.length;
    const keyword = keywordOf(element.tag);
    table.rows.push({
      tag: tagText(element.tag),
      ...(keyword ? { keyword: keyword.slice(0, 80) } : {}),
      vr: set.vr(element.tag),
      value,
      private: ((element.tag >>> 16) & 1) === 1,
      ...(depth > 0 ? { depth } : {}),
    });
    for (const item of element.items ?? []) addRows(table, item, depth + 1);
  }
}

function textOf(set: DataSet, element: Element): string {
  const { tag, items, fragments, length } = element;
  if (items) return items.length === 1 ? '1 item' : `${items.length} items`;
  if (fragments) return `${fragments.length} fragments`;
  const vr = set.vr(tag);
  if (vr === 'AT')
    return tagsIn(set.raw(tag) ?? Buffer.alloc(0), set.big)
      .join('\\')
      .slice(0, VALUE_LENGTH);
  if (BINARY.has(vr)) return isShortText(set.raw(tag)) ? (set.text(tag) ?? '') : `${length} bytes`;
  if (['US', 'SS', 'UL', 'SL', 'FL', 'FD', 'UV', 'SV'].includes(vr)) {
    return set.numbers(tag).slice(0, VALUE_LENGTH).join('\\').slice(0, VALUE_LENGTH);
  }
  return (set.text(tag) ?? '').slice(0, VALUE_LENGTH);
}

function tagsIn(raw: Buffer, big: boolean): string[] {
  const half = (at: number) => (big ? raw.readUInt16BE(at) : raw.readUInt16LE(at));
  return Array.from({ length: Math.floor(raw.length / 4) }, (_, i) => tagText(half(i * 4) * 0x10000 + half(i * 4 + 2)));
}

/** Private elements of unknown VR often hold text. */
const isShortText = (raw: Buffer | null): boolean =>
  raw !== null && raw.length > 0 && raw.length <= VALUE_LENGTH && /^[\x20-\x7e]+\0?$/.test(raw.toString('latin1'));
