import { isAscii } from 'node:buffer';

/** WHATWG names of the character sets of DICOM (PS3.3 §C.12.1.1.2), by the end of their defined terms. */
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
  // These belong behind an escape sequence. Some files have them alone and without one.
  '87': 'iso-2022-jp',
  '159': 'iso-2022-jp',
  '149': 'euc-kr',
  '58': 'gbk',
  GB18030: 'gb18030',
  GBK: 'gbk',
};

interface Escape {
  /** The bytes behind ESC. */
  sequence: string;
  encoding: string;
  /**
   * The set replaces ASCII: two bytes below 0x80 are a character. The bytes are turned into those of `encoding`, each with
   * its highest bit, behind this prefix.
   */
  pairs?: readonly number[];
}

/** PS3.3 §C.12.1.1.2, tables C.12-3 and C.12-4. */
const escapes: Escape[] = [
  { sequence: '$)C', encoding: 'euc-kr' },
  { sequence: '$)A', encoding: 'gbk' },
  { sequence: '$B', encoding: 'euc-jp', pairs: [] },
  { sequence: '$@', encoding: 'euc-jp', pairs: [] },
  { sequence: '$(D', encoding: 'euc-jp', pairs: [0x8f] },
  { sequence: '(B', encoding: 'iso-8859-1' },
  { sequence: '(J', encoding: 'shift_jis' },
  { sequence: ')I', encoding: 'shift_jis' },
  { sequence: '-A', encoding: 'iso-8859-1' },
  { sequence: '-B', encoding: 'iso-8859-2' },
  { sequence: '-C', encoding: 'iso-8859-3' },
  { sequence: '-D', encoding: 'iso-8859-4' },
  { sequence: '-L', encoding: 'iso-8859-5' },
  { sequence: '-G', encoding: 'iso-8859-6' },
  { sequence: '-F', encoding: 'iso-8859-7' },
  { sequence: '-H', encoding: 'iso-8859-8' },
  { sequence: '-M', encoding: 'iso-8859-9' },
  { sequence: '-b', encoding: 'iso-8859-15' },
  { sequence: '-T', encoding: 'windows-874' },
];
const unknownEscape: Escape = { sequence: '', encoding: 'iso-8859-1' };

const ESC = 0x1b;
/** The first set applies again behind them (PS3.5 §6.1.2.5.3): TAB, LF, FF, CR, `=`, `\` and `^`. */
const DELIMITERS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x3d, 0x5c, 0x5e]);

/**
 * Returns a text of a data set, decoded by the values of its Specific Character Set (0008,0005) and by its escape
 * sequences. Files that name no set, or an unknown one, often have UTF-8 or Latin-1 in spite of the standard.
 */
export function decodeText(bytes: Buffer, characterSets: readonly string[]): string {
  const begin = bytes.indexOf(ESC);
  if (begin < 0 && isAscii(bytes)) return bytes.toString('latin1');
  const [first = ''] = characterSets;
  const encoding = encodings[/\w+$/.exec(first.trim())?.[0] ?? ''];
  const decodeFirst = (part: Buffer) => (encoding ? decode(part, encoding) : decodeUndeclared(part));
  if (begin < 0) return decodeFirst(bytes);
  return decodeFirst(bytes.subarray(0, begin)) + decodeEscaped(bytes, begin, decodeFirst);
}

/** Decodes the rest of a text from its first escape sequence. */
function decodeEscaped(bytes: Buffer, from: number, decodeFirst: (part: Buffer) => string): string {
  let text = '';
  let at = from;
  while (at < bytes.length) {
    const next = bytes.indexOf(ESC, at + 1);
    const part = bytes.subarray(at + 1, next < 0 ? bytes.length : next);
    const begin = part.toString('latin1', 0, 3);
    const { sequence, encoding, pairs } = escapes.find((one) => begin.startsWith(one.sequence)) ?? unknownEscape;
    const characters = part.subarray(sequence.length);
    if (pairs) text += decode(highPairs(characters, pairs), encoding);
    else {
      const end = characters.findIndex((byte) => DELIMITERS.has(byte));
      const behind = end < 0 ? characters.length : end;
      text += decode(characters.subarray(0, behind), encoding) + decodeFirst(characters.subarray(behind));
    }
    at += 1 + part.length;
  }
  return text;
}

/** Sets the highest bit of each byte, and puts the prefix before each pair. */
function highPairs(bytes: Buffer, prefix: readonly number[]): Buffer {
  const pairs = Array.from({ length: Math.floor(bytes.length / 2) }, (_, i) => bytes.subarray(2 * i, 2 * i + 2));
  return Buffer.from(pairs.flatMap((pair) => [...prefix, ...pair.map((byte) => byte | 0x80)]));
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function decode(bytes: Buffer, encoding: string): string {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding, { ignoreBOM: true });
  decoders.set(encoding, decoder);
  return decoder.decode(bytes);
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUndeclared(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decode(bytes, 'iso-8859-1');
  }
}
