import { limits } from '@lightbox/contract/limits.js';
import { StudyTitle } from '@lightbox/contract/studies/schemas.js';
import type { FileIdentity } from '../imaging/fileIdentity.js';
import { wordsOf } from '../users/search.js';

/**
 * Returns the title of a new DICOM study: its description, or its modality and date. A description that contains a part
 * of the patient's name is not used.
 */
export function titleOf({ studyDescription, modality, studyDate, patientName }: FileIdentity): string {
  const described = StudyTitle.safeParse(studyDescription?.slice(0, limits.studyTitleLength));
  if (described.success && !namesPatient(described.data, patientName)) return described.data;
  return [modality ?? 'DICOM', studyDate].filter(Boolean).join(' ');
}

/** True when a text of a file contains a part of the patient's name: it is neither kept nor shown. */
export function namesPatient(text: string, patientName = ''): boolean {
  const words = new Set(wordsOf(text));
  return wordsOf(patientName).some((word) => word.length > 1 && words.has(word));
}
