import { Caption } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { i18n } from '../i18n';
import { formatBirthday, formatDate } from '../lib/format';
import type { Person } from '../users/PersonSearch';
import { captionOf, namesPatient, type Plan, plainName, type Series, type Sorted, type Study } from './plan';
import type { NewGroup } from './queue';
import type { NamedPatient } from './tray';

/** The choices of the person about the files that were read. */
export interface Choices {
  /** Captions that the person wrote, by the id of a file or the key of a series. */
  captions: Record<string, string>;
  /** Ids of files and keys of studies that were taken out or put in, against the default. */
  included: Record<string, boolean>;
  /** Pictures and documents become one study. */
  together: boolean;
  title: string;
}

const dicomDay = /^(\d{4})(\d{2})(\d{2})$/;
export const isoDay = (day: string | undefined) =>
  dicomDay.test(day ?? '') ? day?.replace(dicomDay, '$1-$2-$3') : undefined;

export function studyTitle({ modalities, description, date, patient }: Study): string {
  const day = isoDay(date);
  return [
    modalities.length
      ? i18n.t('uploads.plan.modality', { modality: modalities.join(', ') })
      : i18n.t('uploads.plan.plainStudy'),
    description && !namesPatient(description, patient.name) && description,
    day && formatDate(`${day}T12:00:00`),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Formats the patient that a file names, for the person who chose the file. */
export function patientLine({ name, birthDate, sex }: NamedPatient): string {
  const born = isoDay(birthDate);
  return [name && plainName(name), born && formatBirthday(born), sex].filter(Boolean).join(' · ');
}

/** A caption that a series gets when the person writes none. */
export function seriesCaption(study: Study, series: Series): string {
  const words = [series.description, study.description].find((text) => text && !namesPatient(text, study.patient.name));
  return (words ?? i18n.t('uploads.plan.modality', { modality: series.modality ?? 'DICOM' })).slice(
    0,
    limits.captionLength,
  );
}

/** A caption made of the file's name. A name that contains the patient's is not used. */
export function fileCaption({ source, dicom }: Sorted, patientNames: readonly string[]): string {
  const caption = captionOf(source.name, limits.captionLength);
  const named = [...patientNames, dicom?.patientName].some((name) => namesPatient(caption, name));
  return named ? '' : caption;
}

export const namesIn = ({ studies }: Plan): string[] => studies.flatMap(({ patient }) => patient.name ?? []);

/** True when the file or study is uploaded. Pictures of a disc are not, unless the person selects them. */
export const isIncluded = (key: string, byDefault: boolean, { included }: Choices) => included[key] ?? byDefault;
export const singleByDefault = ({ kind }: Sorted, { disc }: Plan) => !disc || kind === 'dicom';

export const includedStudies = (plan: Plan, choices: Choices) =>
  plan.studies.filter(({ key }) => isIncluded(key, true, choices));
export const includedSingles = (plan: Plan, choices: Choices) =>
  plan.single.filter((one) => isIncluded(one.id, singleByDefault(one, plan), choices));

export const filesOf = (study: Study) => study.series.flatMap(({ files }) => files);

/** The server puts no DICOM file into a study that a person makes, even if its header names no study. */
const isJoinable = ({ kind }: Sorted) => kind !== 'dicom';
/** True when the person can choose whether files become one study. */
export const mayJoin = ({ single }: Plan) => single.filter(isJoinable).length > 1;
/** Divides files without a DICOM study into those that become one study, and the others. */
export const divide = (singles: Sorted[], together: boolean) => ({
  joined: singles.filter((one) => together && isJoinable(one)),
  separate: singles.filter((one) => !together || !isJoinable(one)),
});

export const singlesTitle = (singles: Sorted[]) =>
  i18n.t(singles.some(isJoinable) ? 'uploads.plan.singles' : 'uploads.plan.dicomSingles');

/** Returns the keys of the captions that cannot be sent, each with the contract's sentence. */
export function captionFaults(plan: Plan, choices: Choices): Record<string, string> {
  const names = namesIn(plan);
  const all = [
    ...includedStudies(plan, choices).flatMap((study) =>
      study.series.map((series) => [series.key, seriesCaption(study, series)] as const),
    ),
    ...includedSingles(plan, choices).map((one) => [one.id, fileCaption(one, names)] as const),
  ];
  const faults: Record<string, string> = {};
  for (const [key, byDefault] of all) {
    const judged = Caption.safeParse(choices.captions[key] ?? byDefault);
    if (!judged.success) faults[key] = judged.error.issues[0]?.message ?? '';
  }
  return faults;
}

/** Returns what the queue uploads. */
export function groupsOf(plan: Plan, choices: Choices, patient: Person | undefined): NewGroup[] {
  const names = namesIn(plan);
  const caption = (key: string, byDefault: string) => (choices.captions[key] ?? byDefault).trim();
  const studies = includedStudies(plan, choices).map(
    (study): NewGroup => ({
      title: studyTitle(study),
      patient,
      files: study.series.flatMap((series) =>
        series.files.map(({ source }) => ({ source, caption: caption(series.key, seriesCaption(study, series)) })),
      ),
    }),
  );
  const groupOf = (singles: Sorted[], group: Pick<NewGroup, 'title' | 'study'>): NewGroup => ({
    ...group,
    patient,
    files: singles.map((one) => ({ source: one.source, caption: caption(one.id, fileCaption(one, names)) })),
  });
  const { joined, separate } = divide(includedSingles(plan, choices), choices.together);
  const title = choices.title.trim();
  return [
    ...studies,
    ...(joined.length ? [groupOf(joined, { title, study: title })] : []),
    ...(separate.length ? [groupOf(separate, { title: singlesTitle(separate) })] : []),
  ];
}
