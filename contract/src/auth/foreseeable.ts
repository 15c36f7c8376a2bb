import { plain } from '../plain.js';

/** Words that attackers try first at a service like this one: its name, its roles, its trade, and rows of keys. */
const words = [
  'lightbox',
  ...['admin', 'administrator', 'user', 'staff', 'patient', 'provider', 'doctor', 'nurse', 'physician', 'radiologist'],
  ...['hospital', 'clinic', 'clinical', 'radiology', 'radiography', 'ultrasound', 'xray', 'scan', 'image', 'imaging'],
  ...['medical', 'medicine', 'health', 'healthcare', 'care', 'ward', 'surgery', 'dicom', 'pacs'],
  ...['password', 'passwort', 'passphrase', 'welcome', 'letmein', 'secret', 'login', 'demo', 'test'],
  ...['qwe', 'qwer', 'qwerty', 'qwertz', 'asd', 'asdf', 'zxc', 'zxcv', 'qaz', 'wsx', 'edc', 'abc', 'abcd'],
];

/** Shorter names are not searched for: they occur in too many words. */
const MIN_LETTERS = 3;

/** The names of a person; their password must not consist of them. */
export interface Owner {
  firstname?: string | undefined;
  lastname?: string | undefined;
  username?: string | undefined;
  email?: string | undefined;
}

const leet: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
};

const lettersOf = (text: string): string => text.replace(/[^\p{L}]/gu, '');

/** Returns the letters of a password, and its letters when digits and signs count as the letters that they resemble. */
export function readings(password: string): string[] {
  const start = plain(password).replace(/[^\p{L}]+$/u, '');
  const word = start.replace(/^[^\p{L}]+/u, '');
  const asLetters = (text: string) => text.replace(/[^\p{L}]/gu, (sign) => leet[sign] ?? sign);
  return [word, asLetters(word), asLetters(start)].map(lettersOf);
}

/** Returns the words of a name, and all of them joined: `ada`, `lovelace` and `adalovelace` for `ada.lovelace`. */
const partsOf = (text: string | undefined): string[] => {
  const parts = plain(text ?? '').split(/[^\p{L}]+/u);
  return [...parts, parts.join('')].filter((part) => part.length >= MIN_LETTERS);
};

/** True when a password consists only of foreseeable words, apart from digits and signs around them. */
export function isForeseeable(password: string, { firstname, lastname, username, email }: Owner = {}): boolean {
  const own = [firstname, lastname, username, ...(email?.split('@') ?? [])].flatMap(partsOf);
  const all = [...words, ...own];
  return readings(password).some((letters) => isMadeOf(letters, all));
}

/**
 * True when the letters are a sequence of the parts. Goes from the front, step by step: a regular expression would try
 * all combinations of names that begin alike.
 */
function isMadeOf(letters: string, parts: string[]): boolean {
  const reached = new Set([0]);
  for (let at = 0; at < letters.length; at++) {
    if (!reached.has(at)) continue;
    for (const part of parts) if (letters.startsWith(part, at)) reached.add(at + part.length);
  }
  return letters.length > 0 && reached.has(letters.length);
}
