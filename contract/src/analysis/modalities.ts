/** Modality (0008,0060): the defined terms of PS3.3 §C.7.3.1.1.1 that stand for pictures. */
export const modalities = {
  BMD: 'bone densitometry',
  CR: 'computed radiography',
  CT: 'computed tomography',
  DX: 'digital radiography',
  ECG: 'electrocardiography',
  ES: 'endoscopy',
  GM: 'general microscopy',
  IO: 'intra-oral radiography',
  IVOCT: 'intravascular optical coherence tomography',
  IVUS: 'intravascular ultrasound',
  MG: 'mammography',
  MR: 'magnetic resonance',
  NM: 'nuclear medicine',
  OCT: 'optical coherence tomography',
  OP: 'ophthalmic photography',
  OT: 'other',
  PT: 'positron emission tomography',
  PX: 'panoramic X-ray',
  RF: 'radiofluoroscopy',
  RG: 'radiographic imaging',
  RTDOSE: 'radiotherapy dose',
  RTIMAGE: 'radiotherapy image',
  SC: 'secondary capture',
  SEG: 'segmentation',
  SM: 'slide microscopy',
  US: 'ultrasound',
  XA: 'X-ray angiography',
  XC: 'external-camera photography',
} as const;
export type Modality = keyof typeof modalities;

/** True when the standard defines this code. */
export const isModality = (code: string): code is Modality => Object.hasOwn(modalities, code);

/** `CT (computed tomography)`, or the code alone when the standard does not name it. */
export const modalityName = (code: string): string => (isModality(code) ? `${code} (${modalities[code]})` : code);
