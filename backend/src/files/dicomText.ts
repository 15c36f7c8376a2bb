/** WHATWG names of the character sets of DICOM (PS3.3 §C.12.1.1.2), by defined term without `ISO_IR`. */
const encodings: Record<string, string> = {
  '100': 'iso-8859-1',
  '101': 'iso-8859-2',
  '109': 'iso-8859-3',
  '110': 'iso-8859-4',
  '144': 'iso-8859-5',
  '127': 'iso-8859-6',
  '126': 'iso-8859-7',
  '138': 'iso-8859-8',
  '148': 'iso-8859-9',
  '203': 'iso-8859-15',
  '13': 'shift_jis',
  '166': 'windows-874',
  '192': 'utf-8',
  GB18030: 'gb18030',
  GBK: 'gbk',
};

/** Encodings by the escape sequence before their characters (PS3.5 §6.1.2.5). */
const escapes: [sequence: string, encoding: string][] = [
  ['$)C', 'euc-kr'],
  ['$)A', 'gbk'],
  ['$B', 'iso-2022-jp'],
  ['(B', 'iso-8859-1'],
  ['(J', 'shift_jis'],
  [')I', 'shift_jis'],
  ['-A', 'iso-8859-1'],
  ['-B', 'iso-8859-2'],
  ['-C', 'iso-8859-3'],
  ['-D', 'iso-8859-4'],
  ['-L', 'iso-8859-5'],
  ['-G', 'iso-8859-6'],
  ['-F', 'iso-8859-7'],
  ['-H', 'iso-8859-8'],
  ['-M', 'iso-8859-9'],
  ['-b', 'iso-8859-15'],
  ['-T', 'windows-874'],
];

/** Returns a text of a data set, decoded by its Specific Character Set (0008,0005). Latin-1 includes the default set. */
export function decodeText(bytes: Buffer, characterSets = ''): string {
  const [first = ''] = characterSets.split('\\');
  const encoding = encodings[first.trim().replace(/^ISO[_ ](2022 )?IR /, '')] ?? 'iso-8859-1';
  const [begin = Buffer.alloc(0), ...escaped] = split(bytes);
  return decode(begin, encoding) + escaped.map(decodeEscaped).join('');
}

const ESCAPE = 0x1b;

function split(bytes: Buffer): Buffer[] {
  const starts = [...bytes.keys()].filter((at) => bytes[at] === ESCAPE);
  return [0, ...starts].map((start, i) => bytes.subarray(start, starts[i] ?? bytes.length));
}

/** Decodes bytes that begin with an escape sequence. */
function decodeEscaped(bytes: Buffer): string {
  const text = bytes.toString('latin1', 1);
  const [sequence, encoding] = escapes.find(([begin]) => text.startsWith(begin)) ?? ['', 'iso-8859-1'];
  // This decoder reads the escape sequence itself.
  return decode(encoding === 'iso-2022-jp' ? bytes : bytes.subarray(1 + sequence.length), encoding);
}

const decode = (bytes: Buffer, encoding: string): string => new TextDecoder(encoding).decode(bytes);
