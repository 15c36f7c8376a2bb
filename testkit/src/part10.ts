/** Writes DICOM Part 10 files (PS3.10 §7, PS3.5 §7), valid and deliberately invalid ones, for tests and for the samples. */
const LONG_VR = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'SV', 'UC', 'UN', 'UR', 'UT', 'UV']);
export const UNDEFINED = 0xffffffff;

export const syntaxes = {
  implicit: '1.2.840.10008.1.2',
  explicit: '1.2.840.10008.1.2.1',
  deflated: '1.2.840.10008.1.2.1.99',
  big: '1.2.840.10008.1.2.2',
  jpegBaseline: '1.2.840.10008.1.2.4.50',
} as const;

type Value = string | number | Buffer;

/** Returns one element in explicit little endian. `length` may differ from the real length. */
export function element(tag: number, vr: string, value: Value, length?: number): Buffer {
  const body = encode(vr, value);
  const header = Buffer.alloc(LONG_VR.has(vr) ? 12 : 8);
  header.writeUInt16LE(tag >>> 16, 0);
  header.writeUInt16LE(tag & 0xffff, 2);
  header.write(vr, 4, 'latin1');
  if (LONG_VR.has(vr)) header.writeUInt32LE(length ?? body.length, 8);
  else header.writeUInt16LE(length ?? body.length, 6);
  return Buffer.concat([header, body]);
}

/** Returns one element in explicit big endian. The numbers of its value are big endian already. */
export function bigElement(tag: number, vr: string, body: Buffer): Buffer {
  const header = Buffer.alloc(LONG_VR.has(vr) ? 12 : 8);
  header.writeUInt16BE(tag >>> 16, 0);
  header.writeUInt16BE(tag & 0xffff, 2);
  header.write(vr, 4, 'latin1');
  if (LONG_VR.has(vr)) header.writeUInt32BE(body.length, 8);
  else header.writeUInt16BE(body.length, 6);
  return Buffer.concat([header, body]);
}

/** Returns an element without VR, as in implicit little endian, items and delimiters. */
export function bare(tag: number, body: Buffer = Buffer.alloc(0), length = body.length): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16LE(tag >>> 16, 0);
  header.writeUInt16LE(tag & 0xffff, 2);
  header.writeUInt32LE(length, 4);
  return Buffer.concat([header, body]);
}

/** Returns the data set of a file from its tag (0008,0020) on, without preamble and header. */
export const dataSet = (file: Buffer): Buffer => file.subarray(file.indexOf(Buffer.from([8, 0, 0x20, 0])));

export const item = (body: Buffer, length?: number): Buffer => bare(0xfffee000, body, length);
export const itemEnd = (): Buffer => bare(0xfffee00d);
export const sequenceEnd = (): Buffer => bare(0xfffee0dd);

function encode(vr: string, value: Value): Buffer {
  if (Buffer.isBuffer(value)) return value;
  const bytes = Buffer.alloc(vr === 'US' || vr === 'SS' ? 2 : 4);
  if (typeof value === 'number' && vr === 'US') bytes.writeUInt16LE(value);
  else if (typeof value === 'number' && vr === 'SS') bytes.writeInt16LE(value);
  else if (typeof value === 'number' && vr === 'UL') bytes.writeUInt32LE(value);
  else {
    const text = Buffer.from(String(value), 'latin1');
    const padding = Buffer.from(vr === 'UI' ? '\0' : ' ', 'latin1');
    return text.length % 2 === 0 ? text : Buffer.concat([text, padding]);
  }
  return bytes;
}

/** Returns preamble, `DICM` and the meta header, followed by `dataSet` unchanged. */
export function partTen(
  dataSet: Buffer,
  transferSyntax: string = syntaxes.explicit,
  preamble = Buffer.alloc(128),
): Buffer {
  const meta = Buffer.concat([
    element(0x00020001, 'OB', Buffer.from([0, 1])),
    element(0x00020010, 'UI', transferSyntax),
    element(0x00020012, 'UI', '2.25.1'),
  ]);
  return Buffer.concat([preamble, Buffer.from('DICM'), element(0x00020000, 'UL', meta.length), meta, dataSet]);
}

export interface Picture {
  rows: number;
  columns: number;
  bits: number;
  samples: number;
  frames?: string;
  pixels: Buffer;
}

/** Returns a small grey picture. Each part can be replaced. */
export function picture(overrides: Partial<Picture> = {}): Picture {
  const shape = { rows: 16, columns: 16, bits: 16, samples: 1, ...overrides };
  const bytes = (shape.rows * shape.columns * shape.samples * shape.bits) / 8;
  return { ...shape, pixels: overrides.pixels ?? Buffer.alloc(Math.min(bytes, 1 << 20), 7) };
}

/** Returns the elements before the pixels. `extra` must be in groups 0009 to 0027. */
export function imageModule(shape: Picture, extra: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([
    element(0x00080020, 'DA', '20240229'),
    element(0x00080060, 'CS', 'CT'),
    element(0x00081090, 'LO', 'Phantom 1'),
    extra,
    element(0x00280002, 'US', shape.samples),
    element(0x00280004, 'CS', shape.samples === 3 ? 'RGB' : 'MONOCHROME2'),
    ...(shape.frames === undefined ? [] : [element(0x00280008, 'IS', shape.frames)]),
    element(0x00280010, 'US', shape.rows),
    element(0x00280011, 'US', shape.columns),
    element(0x00280030, 'DS', '0.5\\0.5'),
    element(0x00280100, 'US', shape.bits),
    element(0x00280101, 'US', shape.bits),
    element(0x00280102, 'US', shape.bits - 1),
    element(0x00280103, 'US', 0),
  ]);
}

export function dicomPicture(overrides: Partial<Picture> = {}, extra?: Buffer): Buffer {
  const shape = picture(overrides);
  return partTen(
    Buffer.concat([imageModule(shape, extra), element(0x7fe00010, shape.bits > 8 ? 'OW' : 'OB', shape.pixels)]),
  );
}

/** Returns unsigned shorts in a row, the format of a table's descriptor and entries. */
export function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, i * 2);
  return bytes;
}

/** Returns a picture of 8 bits whose values are indexes into three palettes (PS3.3 §C.7.9). */
export function withPalette(descriptor: Buffer, entries: Buffer, value = 7): Buffer {
  const module = imageModule(picture({ bits: 8 }));
  const grey = element(0x00280004, 'CS', 'MONOCHROME2');
  const at = module.indexOf(grey);
  const [red, green, blue] = [0x0028_1101, 0x0028_1102, 0x0028_1103];
  return partTen(
    Buffer.concat([
      module.subarray(0, at),
      element(0x00280004, 'CS', 'PALETTE COLOR'),
      module.subarray(at + grey.length),
      ...[red, green, blue].map((tag) => element(tag, 'US', descriptor)),
      ...[red, green, blue].map((tag) => element(tag + 0x100, 'OW', entries)),
      element(0x7fe00010, 'OB', Buffer.alloc(256, value)),
    ]),
  );
}

/** Returns a grey picture with a look-up table in sequence `tag`: Modality LUT (0028,3000) or VOI LUT (0028,3010). */
export function withTable(tag: number, descriptor: Buffer, entries: Buffer): Buffer {
  const table = item(Buffer.concat([element(0x00283002, 'US', descriptor), element(0x00283006, 'OW', entries)]));
  const { pixels } = picture();
  return partTen(Buffer.concat([imageModule(picture()), element(tag, 'SQ', table), element(0x7fe00010, 'OW', pixels)]));
}

/** Tables whose descriptor does not match their entries. */
export const lyingTables: [what: string, descriptor: Buffer, entries: Buffer][] = [
  ['says 256 entries and has three', shorts(256, 0, 16), shorts(1, 2, 3)],
  ['says 65,536 entries and has none', shorts(0, 0, 16), Buffer.alloc(0)],
  ['has one byte less than it says', shorts(256, 0, 16), Buffer.alloc(511, 9)],
  ['has entries of no bits', shorts(256, 0, 0), Buffer.alloc(512, 9)],
  ['has entries of 255 bits', shorts(256, 0, 255), Buffer.alloc(512, 9)],
  ['has a descriptor of one number', shorts(256), Buffer.alloc(512, 9)],
  ['has an empty descriptor', Buffer.alloc(0), Buffer.alloc(512, 9)],
];

interface Phantom {
  /** The instance of the slice, from 1, and its position along the body in millimetres. */
  instance?: number;
  z?: number;
  frames?: number;
  /** The unique part of the identifiers of study and series, and the number of the series in it. */
  study?: string;
  series?: number;
}

/** The known values and lengths of `phantom`. Points are column and row. */
export const phantomFacts = {
  side: 256,
  spacing: 0.5,
  body: { at: [128, 128], radius: 100, value: 40 },
  disc: { at: [100, 100], radius: 15, value: 120 },
  /** A bar one pixel high: from the middle of its first pixel to that of its last, 49.5 mm. */
  bar: { from: [78, 128], to: [177, 128], value: 1_000, length: 49.5 },
  air: -1_000,
} as const;

/** The value of a pixel of the phantom in HU. Each frame has one more bright pixel in the first row, to tell them apart. */
function phantomValue(x: number, y: number, frame: number): number {
  const { body, disc, bar, air } = phantomFacts;
  const inside = ({ at, radius }: { at: readonly [number, number]; radius: number }) =>
    Math.hypot(x - at[0], y - at[1]) < radius;
  if (y === 0 && x < frame) return 500;
  if (y === bar.from[1] && x >= bar.from[0] && x <= bar.to[0]) return bar.value;
  if (inside(disc)) return disc.value;
  return inside(body) ? body.value : air;
}

/** Returns a CT of a body with a disc and a bar of known size and value: one slice, or a film of several frames. */
export function phantom({ instance = 1, z = 0, frames = 1, study = '1', series = 1 }: Phantom = {}): Buffer {
  const { side, spacing } = phantomFacts;
  const pixels = Buffer.alloc(side * side * 2 * frames);
  for (let frame = 0; frame < frames; frame++) {
    for (let i = 0; i < side * side; i++) {
      const value = phantomValue(i % side, Math.floor(i / side), instance + frame) + 1_024;
      pixels.writeUInt16LE(value, (frame * side * side + i) * 2);
    }
  }
  return partTen(
    Buffer.concat([
      element(0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.2'),
      element(0x00080018, 'UI', `2.25.7${study}.${series}.${instance}`),
      element(0x00080020, 'DA', '20261112'),
      element(0x00080060, 'CS', 'CT'),
      element(0x0008103e, 'LO', 'Portal phase'),
      element(0x00180015, 'CS', 'ABDOMEN'),
      element(0x00180050, 'DS', '3'),
      ...(frames > 1 ? [element(0x00181063, 'DS', '50')] : []),
      element(0x0020000d, 'UI', `2.25.7${study}`),
      element(0x0020000e, 'UI', `2.25.7${study}.${series}`),
      element(0x00200011, 'IS', String(series)),
      element(0x00200013, 'IS', String(instance)),
      element(0x00200032, 'DS', `-64\\-64\\${z}`),
      element(0x00200037, 'DS', '1\\0\\0\\0\\1\\0'),
      element(0x00200052, 'UI', `2.25.7${study}.9`),
      element(0x00280002, 'US', 1),
      element(0x00280004, 'CS', 'MONOCHROME2'),
      ...(frames > 1 ? [element(0x00280008, 'IS', String(frames))] : []),
      element(0x00280010, 'US', side),
      element(0x00280011, 'US', side),
      element(0x00280030, 'DS', `${spacing}\\${spacing}`),
      element(0x00280100, 'US', 16),
      element(0x00280101, 'US', 12),
      element(0x00280102, 'US', 11),
      element(0x00280103, 'US', 0),
      element(0x00281050, 'DS', '40'),
      element(0x00281051, 'DS', '400'),
      element(0x00281052, 'DS', '-1024'),
      element(0x00281053, 'DS', '1'),
      element(0x00281054, 'LO', 'HU'),
      element(0x7fe00010, 'OW', pixels),
    ]),
  );
}
