import { expect, it } from 'vitest';
import { decodeText } from './characters.js';

const hex = (text: string) => Buffer.from(text, 'hex');
/** Writes `~` for the escape character. */
const escaped = (text: string) => Buffer.from(text.replaceAll('~', '\x1b'), 'latin1');

it.each([
  ['Latin-1', hex('c4'), 'ISO_IR 100', 'Ä'],
  ['Latin-2', hex('a3'), 'ISO_IR 101', 'Ł'],
  ['Latin-9', hex('a4'), 'ISO_IR 203', '€'],
  ['Cyrillic', hex('bb'), 'ISO_IR 144', 'Л'],
  ['Arabic', hex('c7'), 'ISO_IR 127', 'ا'],
  ['Chinese', hex('cdf5'), 'GB18030', '王'],
  ['Chinese (GBK)', hex('cdf5'), 'GBK', '王'],
  ['UTF-8', Buffer.from('محمد'), 'ISO_IR 192', 'محمد'],
  ['a set with spaces around it', hex('c4'), ' ISO_IR 100 ', 'Ä'],
  // The examples of PS3.5 Annexes H, I and K.
  [
    'Japanese',
    escaped('Yamada^Tarou=~$B;3ED~(B^~$BB@O:~(B=~$B$d$^$@~(B^~$B$?$m$&~(B'),
    '\\ISO 2022 IR 87',
    'Yamada^Tarou=山田^太郎=やまだ^たろう',
  ],
  [
    'Japanese with katakana first',
    escaped('\xd4\xcf\xc0\xde^\xc0\xdb\xb3=~$B;3ED~(J^~$BB@O:~(J'),
    'ISO 2022 IR 13\\ISO 2022 IR 87',
    'ﾔﾏﾀﾞ^ﾀﾛｳ=山田^太郎',
  ],
  ['Japanese, supplementary', escaped('~$(D0!~(B^A'), '\\ISO 2022 IR 159', '丂^A'],
  [
    'Korean',
    escaped('Hong^Gildong=~$)C\xfb\xf3^~$)C\xd1\xce\xd4\xd7=~$)C\xc8\xab^~$)C\xb1\xe6\xb5\xbf'),
    '\\ISO 2022 IR 149',
    'Hong^Gildong=洪^吉洞=홍^길동',
  ],
  [
    'Chinese by an escape sequence',
    escaped('Wang^XiaoDong=~$)A\xcd\xf5^~$)A\xd0\xa1\xb6\xab'),
    '\\ISO 2022 IR 58',
    'Wang^XiaoDong=王^小东',
  ],
  ['Greek by an escape sequence', escaped('~-F\xc1'), '\\ISO 2022 IR 126', 'Α'],
  [
    'Latin-1 behind the Cyrillic of another component',
    escaped('~-L\xbb^\xc4'),
    'ISO 2022 IR 100\\ISO 2022 IR 144',
    'Л^Ä',
  ],
  ['a text that breaks off in an escape sequence', escaped('A~$'), '\\ISO 2022 IR 87', 'A$'],
  ['an unknown set', Buffer.from('A^B'), 'NONSENSE', 'A^B'],
  ['UTF-8 that is not declared', Buffer.from('Zoë'), '', 'Zoë'],
  ['Latin-1 that is not declared', hex('5a6feb'), '', 'Zoë'],
])('%s is decoded', (_name, bytes, sets, text) => {
  expect(decodeText(bytes, sets.split('\\'))).toBe(text);
});
