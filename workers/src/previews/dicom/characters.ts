/** Character sets of DICOM (PS3.3 §C.12.1.1.2) and the encodings of the Encoding Standard that read them. */
const encodings: Record<string, string> = {
  '100': 'iso-8859-1',
  '101': 'iso-8859-2',
  '109': 'iso-8859-3',
  '110': 'iso-8859-4',
  '144': 'iso-8859-5',
  '127': 'iso-8859-6',
  '126': 'iso-8859-7',
  '138': 'iso-8859-8',
  '148': 'windows-1254',
  '166': 'windows-874',
  '203': 'iso-8859-15',
  '13': 'shift_jis',
  '87': 'iso-2022-jp',
  '159': 'iso-2022-jp',
  '149': 'euc-kr',
  '58': 'gb18030',
  '192': 'utf-8',
  GB18030: 'gb18030',
  GBK: 'gbk',
};

/** PS3.5 §6.1.2.5.3: escape sequences that begin with these bytes switch a set on, and are no characters. */
const ESCAPES = new RegExp(`${String.fromCharCode(0x1b)}[$()\\-.,]*[A-Z0-9]`, 'g');

const decoders = new Map<string, (bytes: Buffer) => string>();

/** Returns a function that reads text in the given values of Specific Character Set (0008,0005). */
export function decoderOf(names: string[]): (bytes: Buffer) => string {
  const key = names.join('\\');
  const made = decoders.get(key) ?? make(names);
  // A file may name a new set in each item.
  if (decoders.size < 100) decoders.set(key, made);
  return made;
}

function make(names: string[]): (bytes: Buffer) => string {
  const found = names.map((name) => encodings[/\d+$/.exec(name)?.[0] ?? name]).filter((name) => name !== undefined);
  // With several sets, the later ones hold the characters that the first lacks.
  const encoding = found.at(-1) ?? 'utf-8';
  const decoder = new TextDecoder(encoding);
  if (encoding === 'iso-2022-jp') return (bytes) => decoder.decode(bytes);
  return (bytes) => decoder.decode(Buffer.from(bytes.toString('latin1').replace(ESCAPES, ''), 'latin1'));
}
