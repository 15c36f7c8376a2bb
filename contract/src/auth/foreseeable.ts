/** Words that are tried first at a service like this one: its name, its roles, its trade, and rows of keys. */
const words = [
  'lightbox',
  ...['admin', 'administrator', 'user', 'staff', 'patient', 'provider', 'doctor', 'nurse', 'physician', 'radiologist'],
  ...['hospital', 'clinic', 'clinical', 'radiology', 'radiography', 'ultrasound', 'xray', 'scan', 'image', 'imaging'],
  ...['medical', 'medicine', 'health', 'healthcare', 'care', 'ward', 'surgery', 'dicom', 'pacs'],
  ...['password', 'passwort', 'passphrase', 'welcome', 'letmein', 'secret', 'login', 'demo', 'test'],
  ...['qwe', 'qwer', 'qwerty', 'qwertz', 'asd', 'asdf', 'zxc', 'zxcv', 'qaz', 'wsx', 'edc', 'abc', 'abcd'],
];

/** A name of two letters is in too many words to be looked for. */
const MIN_LETTERS = 3;

/** What a person's password must not be made of. */
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

/** In small letters and without accents. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The letters of a password, and those it has when digits and signs are read as the letters they look like. */
export function readings(password: string): string[] {
  const start = plain(password).replace(/[^\p{L}]+$/u, '');
  const word = start.replace(/^[^\p{L}]+/u, '');
  const asLetters = (text: string) => text.replace(/[^\p{L}]/gu, (sign) => leet[sign] ?? sign);
  return [word, asLetters(word), asLetters(start)].map(lettersOf);
}

/** Names as they are, and their parts: of `ada.lovelace@clinic.org`, `ada`, `lovelace`, `clinic` and both together. */
const partsOf = (text: string | undefined): string[] => {
  const parts = plain(text ?? '').split(/[^\p{L}]+/u);
  return [...parts, parts.join('')].filter((part) => part.length >= MIN_LETTERS);
};

/** Whether a password is made of nothing but words that can be foreseen, with digits and signs about them. */
export function isForeseeable(password: string, { firstname, lastname, username, email }: Owner = {}): boolean {
  const own = [firstname, lastname, username, ...(email?.split('@') ?? [])].flatMap(partsOf);
  const all = [...words, ...own];
  return readings(password).some((letters) => isMadeOf(letters, all));
}

/** Step by step from the front. A regular expression would try all combinations of names that begin alike. */
function isMadeOf(letters: string, parts: string[]): boolean {
  const reached = new Set([0]);
  for (let at = 0; at < letters.length; at++) {
    if (!reached.has(at)) continue;
    for (const part of parts) if (letters.startsWith(part, at)) reached.add(at + part.length);
  }
  return letters.length > 0 && reached.has(letters.length);
}
