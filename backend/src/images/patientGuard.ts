import { type PatientField, patientFields } from '@lightbox/contract/images/names.js';
import { texts } from '@lightbox/contract/texts.js';
import { AppError } from '@lightbox/core/errors.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import type { Person } from '@lightbox/core/models/user.js';

type Patient = Pick<Person, 'firstname' | 'lastname' | 'dob' | 'gender'>;
type KnownName = [first: string, last: string];

const messages: Record<PatientField, string> = {
  patientName: texts.otherPatientName,
  patientBirthDate: texts.otherBirthDate,
  patientSex: texts.otherSex,
};

const contradicts: Record<PatientField, (file: FileIdentity, patient: Patient) => boolean> = {
  patientName: ({ patientName = '' }, { firstname = '', lastname = '' }) => {
    // The same name in up to three scripts (PS3.5 §6.2.1.2): one that fits is enough.
    const names = patientName
      .split('=')
      .map(namesOf)
      .filter((name) => wordsOf(name).length > 0 && !isPseudonym(name));
    return names.length > 0 && !names.some((name) => mayNameTheSame(name, [firstname, lastname]));
  },
  patientBirthDate: ({ patientBirthDate }, { dob }) => !!patientBirthDate && !!dob && patientBirthDate !== dob,
  // "Other" is also written for an unknown sex, so it contradicts nothing.
  patientSex: ({ patientSex }, { gender }) =>
    (patientSex === 'M' && gender === 'female') || (patientSex === 'F' && gender === 'male'),
};

/** Returns the fields of a file that contradict the patient. A missing value contradicts nothing. */
export const contradictions = (file: FileIdentity, patient: Patient): PatientField[] =>
  patientFields.filter((field) => contradicts[field](file, patient));

/** Returns the refusal. It names the fields, and never the values of the file. */
export const patientMismatch = (fields: PatientField[]): AppError =>
  new AppError('PATIENT_MISMATCH', { errors: fields.map((field) => ({ field, message: messages[field] })) });

/** True for a name with a digit ("ANON-0012", "Phantom^CT1"): such names replace a person's name, and contradict nobody. */
const isPseudonym = (name: string): boolean => /\p{N}/u.test(name);

/** Returns family, given and middle name of a person name (PS3.5 §6.2.1.1), without its prefix and suffix. */
const namesOf = (written: string): string => written.split('^').slice(0, 3).join(' ');

/**
 * True when every word of one name is in the other, or when a name is missing: a file may leave out a given name, or have
 * one more. Also true for "Annemarie" and "Anne-Marie".
 */
function mayNameTheSame(written: string, known: KnownName): boolean {
  return foldings.some((fold) => {
    const [file, first, last] = [written, ...known].map((name) => wordsOf(fold(name))) as [Words, Words, Words];
    const together = [first, last].map((words) => words.join(''));
    return (
      isWithin(file, [...first, ...last]) ||
      isWithin([...first, ...last], file) ||
      [together.join(''), together.reverse().join('')].includes(file.join(''))
    );
  });
}

type Words = string[];

/** True when each word is one of `many`, or an initial of one that is left. */
function isWithin(few: Words, many: Words): boolean {
  const left = [...many];
  const takes = (fits: (other: string) => boolean) => {
    const at = left.findIndex(fits);
    return at >= 0 && left.splice(at, 1).length === 1;
  };
  const others = few.filter((word) => !takes((other) => other === word));
  return others.every((word) => word.length === 1 && takes((other) => other.startsWith(word)));
}

const wordsOf = (name: string): Words => name.replace(/['’ʼ`]/g, '').match(/[\p{L}\p{N}]+/gu) ?? [];

/** Letters that have no accent to take away, as they are written without them. */
const spelledOut: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const umlauts: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };
const replaced = (text: string, table: Record<string, string>): string =>
  [...text].map((letter) => table[letter] ?? letter).join('');

const plain = (name: string): string =>
  replaced(name.normalize('NFKC').toLowerCase(), spelledOut).normalize('NFKD').replace(/\p{M}/gu, '');
/** Files write "Müller" as "Muller" or as "Mueller". */
const foldings = [plain, (name: string) => plain(replaced(name.normalize('NFKC').toLowerCase(), umlauts))];
