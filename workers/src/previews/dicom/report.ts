import type { Lead, Report, ReportLine } from '@lightbox/contract/images/drawing.js';
import type { DataSet } from './dataSet.js';
import { keywordOf } from './dictionary.js';
import { generalText, present } from './facts.js';

const CONTENT = 0x0040a730;
const WAVEFORMS = 0x54000100;
const ENCAPSULATED_DOCUMENT = 0x00420011;

const LINES = 5_000;
const DEPTH = 32;
const LINE_LENGTH = 4_000;
/** Characters of all lines. */
const CHARACTERS = 500_000;

/** Returns a file without pixels as a readable page; null when it holds nothing to read. */
export function reportOf(set: DataSet): Report | null {
  const lines = new Lines();
  if (set.items(CONTENT).length > 0) addContent(lines, set, 0);
  else addElements(lines, set, 0);
  const waveforms = set.items(WAVEFORMS).slice(0, 4).flatMap(leadsOf).slice(0, 128);
  const title = meaningOf(set.items(0x0040a043)[0]) ?? titleOf(set);
  const isPdf = encapsulatedPdf(set) !== null;
  if (lines.all.length === 0 && waveforms.length === 0 && !isPdf) return null;
  return {
    lines: lines.all,
    ...present({
      title: title?.slice(0, 200),
      cut: lines.isFull || null,
      waveforms: waveforms.length > 0 ? waveforms : null,
      pdf: isPdf || null,
    }),
  };
}

/** Returns the bytes of an encapsulated PDF (PS3.3 §A.45.1). */
export function encapsulatedPdf(set: DataSet): Buffer | null {
  const bytes = set.raw(ENCAPSULATED_DOCUMENT);
  return bytes && bytes.toString('latin1', 0, 5) === '%PDF-' ? bytes : null;
}

const titleOf = (set: DataSet): string | null =>
  generalText(set, 0x00420010) ??
  generalText(set, 0x00700080) ??
  generalText(set, 0x300a0002) ??
  generalText(set, 0x30060002);

class Lines {
  readonly all: ReportLine[] = [];
  isFull = false;
  private characters = 0;

  add(depth: number, label: string | null, text: string): void {
    if (!label && text === '') return;
    if (this.all.length >= LINES || this.characters > CHARACTERS) this.isFull = true;
    else {
      const line = { text: text.slice(0, LINE_LENGTH), ...(label ? { label: label.slice(0, 200) } : {}) };
      this.characters += line.text.length + (line.label?.length ?? 0);
      this.all.push({ depth: Math.min(depth, DEPTH), ...line });
    }
  }
}

/** Returns the meaning of a code (PS3.3 §8.8). */
const meaningOf = (code: DataSet | undefined): string | null =>
  code?.text(0x00080104) ?? code?.text(0x00080100) ?? null;

/** Adds the content tree of a structured report (PS3.3 §C.17.3). */
function addContent(lines: Lines, set: DataSet, depth: number): void {
  for (const item of set.items(CONTENT)) {
    if (lines.isFull) return;
    lines.add(depth, meaningOf(item.items(0x0040a043)[0]), contentText(item));
    addContent(lines, item, depth + 1);
  }
}

function contentText(item: DataSet): string {
  const text = item.text(0x0040a160) ?? meaningOf(item.items(0x0040a168)[0]);
  if (text !== null) return text;
  const [measured] = item.items(0x0040a300);
  if (measured) {
    const unit = measured.items(0x004008ea)[0];
    return [measured.text(0x0040a30a), unit?.text(0x00080100) ?? meaningOf(unit)].filter(Boolean).join(' ');
  }
  const moment = item.text(0x0040a121) ?? item.text(0x0040a120) ?? item.text(0x0040a122);
  if (moment !== null) return moment;
  const name = item.text(0x0040a123);
  if (name !== null) return name.replaceAll('^', ' ').trim();
  const points = item.numbers(0x00700022);
  return points.length > 0 ? points.slice(0, 100).join(', ') : '';
}

/** Identifiers, sequences with hundreds of similar items, and references to other files. */
const LEFT_OUT = new Set([
  0x00080005, 0x00080012, 0x00080013, 0x00080050, 0x00200010, 0x00081110, 0x00081111, 0x00081115, 0x00081140,
  0x00081199, 0x300a0111, 0x30060010, 0x30060039, 0x54000100, 0x00400555,
]);
/** Groups about the file, the patient and the pixels. */
const GROUPS_LEFT_OUT = new Set([0x0002, 0x0010, 0x0028, 0x0042]);
/** VRs of text, dates and numbers; names and UIDs are none of them. */
const READABLE = new Set([
  'AS',
  'CS',
  'DA',
  'DS',
  'DT',
  'FD',
  'FL',
  'IS',
  'LO',
  'LT',
  'SH',
  'SL',
  'SS',
  'ST',
  'TM',
  'UC',
  'UL',
  'US',
  'UT',
]);
const ELEMENT_DEPTH = 4;

/** Adds the elements of a plan, a presentation state or any other file, by their names. */
function addElements(lines: Lines, set: DataSet, depth: number): void {
  for (const { tag, items } of set.elements.values()) {
    const group = tag >>> 16;
    const keyword = keywordOf(tag);
    if (lines.isFull || !keyword || group % 2 === 1 || GROUPS_LEFT_OUT.has(group) || LEFT_OUT.has(tag)) continue;
    const label = wordsOf(keyword);
    if (items) {
      if (depth < ELEMENT_DEPTH) for (const item of items) addItem(lines, label, item, depth);
    } else if (READABLE.has(set.vr(tag))) {
      const text = readable(set, tag);
      if (text !== '') lines.add(depth, label, text);
    }
  }
}

function addItem(lines: Lines, label: string, item: DataSet, depth: number): void {
  const at = lines.all.length;
  lines.add(depth, label.replace(/ Sequence$/, ''), '');
  addElements(lines, item, depth + 1);
  if (lines.all.length === at + 1) lines.all.pop();
}

function readable(set: DataSet, tag: number): string {
  const text = ['FD', 'FL', 'SL', 'SS', 'UL', 'US'].includes(set.vr(tag))
    ? set.numbers(tag).slice(0, 100).join(', ')
    : (set.text(tag) ?? '').replaceAll('\\', ', ');
  return text.slice(0, 2_000);
}

const wordsOf = (keyword: string): string => keyword.replace(/([a-z0-9])([A-Z])/g, '$1 $2');

/** Steps of time of a waveform, each with its lowest and highest value; and of all waveforms of a group together. */
const STEPS = 2_000;
const GROUP_STEPS = 48_000;
const SAMPLES = 20_000_000;

/** Returns the channels of a multiplex group of a waveform (PS3.3 §C.10.9). */
function leadsOf(group: DataSet): Lead[] {
  const channels = group.number(0x003a0005, 'US') ?? 0;
  const count = group.number(0x003a0010, 'UL') ?? 0;
  const frequency = group.number(0x003a001a, 'DS') ?? 0;
  const data = group.raw(0x54001010);
  const interpretation = group.code(0x54001006) ?? 'SS';
  const size = ['SB', 'UB', 'MB', 'AB'].includes(interpretation) ? 1 : 2;
  const isSound = data !== null && channels > 0 && channels <= 128 && frequency > 0 && count > 0;
  if (!isSound || channels * count > SAMPLES || data.length < channels * count * size) return [];
  const read = reader(data, interpretation, group.big);
  if (!read) return [];
  return group
    .items(0x003a0200)
    .slice(0, channels)
    .map((channel, index) => ({
      name: (meaningOf(channel.items(0x003a0208)[0]) ?? channel.text(0x003a0203) ?? String(index + 1)).slice(0, 64),
      ...present({ unit: channel.items(0x003a0211)[0]?.text(0x00080100)?.slice(0, 16) }),
      seconds: count / frequency,
      ...reduced(
        count,
        Math.floor(GROUP_STEPS / channels),
        scaledBy(channel, (sample) => read((sample * channels + index) * size)),
      ),
    }));
}

type OfSample = (sample: number) => number;

function reader(data: Buffer, interpretation: string, big: boolean): OfSample | null {
  if (interpretation === 'SS') return (at) => (big ? data.readInt16BE(at) : data.readInt16LE(at));
  if (interpretation === 'US') return (at) => (big ? data.readUInt16BE(at) : data.readUInt16LE(at));
  if (interpretation === 'SB') return (at) => data.readInt8(at);
  if (interpretation === 'UB') return (at) => data.readUInt8(at);
  return null;
}

/** PS3.3 §C.10.9.1.4: sensitivity, its correction, and the baseline. */
function scaledBy(channel: DataSet, value: OfSample): OfSample {
  const factor = (channel.number(0x003a0210, 'DS') ?? 1) * (channel.number(0x003a0212, 'DS') ?? 1);
  const baseline = channel.number(0x003a0213, 'DS') ?? 0;
  return (sample) => value(sample) * factor + baseline;
}

/** Reduces samples to steps, so that no peak is lost. */
function reduced(count: number, most: number, value: OfSample): { low: number[]; high: number[] } {
  const steps = Math.min(STEPS, most, count);
  const [low, high]: [number[], number[]] = [[], []];
  for (let step = 0; step < steps; step++) {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const end = Math.max(Math.floor(((step + 1) * count) / steps), Math.floor((step * count) / steps) + 1);
    for (let sample = Math.floor((step * count) / steps); sample < end; sample++) {
      const found = value(sample);
      min = Math.min(min, found);
      max = Math.max(max, found);
    }
    low.push(round(min));
    high.push(round(max));
  }
  return { low, high };
}

const round = (value: number): number => Number(value.toPrecision(6));
