import type { ImageRule } from './policy.js';

// Screens read these names before any form is open: they are apart from the schemas, so that no screen loads zod for them.

export const contentTypes = ['image/jpeg', 'image/png', 'application/pdf', 'application/dicom'] as const;
export type ContentType = (typeof contentTypes)[number];

/** The extensions that file pickers offer. The server decides by the content of a file. */
export const acceptedExtensions = ['.jpg', '.jpeg', '.png', '.pdf', '.dcm', '.dicom'] as const;

/** The fields of a DICOM file that can contradict the chosen patient, as `errors` of `PATIENT_MISMATCH` names them. */
export const patientFields = ['patientName', 'patientBirthDate', 'patientSex'] as const;
export type PatientField = (typeof patientFields)[number];

export const imageSorts = ['createAt'] as const;

export const imageKinds = ['picture', 'pdf', 'dicom'] as const;
export type ImageKind = (typeof imageKinds)[number];

const kinds: Record<ContentType, ImageKind> = {
  'image/jpeg': 'picture',
  'image/png': 'picture',
  'application/pdf': 'pdf',
  'application/dicom': 'dicom',
};
export const kindOf = (type: ContentType): ImageKind => kinds[type];

/** States of the viewer's own share, or of any share of an image of their own. */
export const cardStates = ['notVerified', 'endsSoon', 'locked'] as const;
export type CardState = (typeof cardStates)[number];

/** The modalities that the search offers (DICOM PS3.3 C.7.3.1.1.1); it accepts any. */
export const modalities = ['CR', 'CT', 'DX', 'ECG', 'MG', 'MR', 'NM', 'OP', 'OT', 'PT', 'RF', 'SR', 'US', 'XA', 'XC'];

/** The questions of an explanation, each with the rule that decides it. */
export const explained = {
  know: 'see',
  see: 'open',
  original: 'download',
  analyse: 'analyse',
  share: 'share',
  delete: 'delete',
} as const satisfies Record<string, ImageRule>;
export type Explained = keyof typeof explained;
