import { errors } from '../errors.js';

/** The reasons of a failed analysis: a stable code, by which the client words them, and the English text. */
export const analysisReasons = {
  UNFORESEEN: 'The analysis could not be completed.',
  PDF: 'A PDF document cannot be analyzed as an image.',
  NO_PICTURE: 'The DICOM file contains no picture.',
  UNDRAWABLE: 'The picture in this file cannot be displayed, so it cannot be analyzed.',
  BURNED_IN: 'According to the file, the picture contains text. Lightbox therefore does not send it to another server.',
  BURNED_IN_LIKELY:
    'Pictures of this kind often contain text, such as a name. Lightbox sends them to another server only if the clinic allows it.',
  TEXT_FOUND:
    'The picture seems to contain printed text, such as a name. Lightbox sends it to another server only if the clinic allows it.',
  CONSENT_NEEDED: errors.CONSENT_NEEDED[1],
  LIMIT_REACHED: 'The limit of analyses per day is reached. The next analysis is possible tomorrow (UTC).',
  TOO_LONG: 'The model’s answer was too long.',
  NOT_MADE_FOR: 'The classifier was not made for this kind of picture.',
  NOT_MADE_FOR_PART: 'The classifier was not made for this body part, or the file does not name the body part.',
  CLASSIFIER_FAILED: 'The classifier did not run to its end.',
  CLASSIFIER_MISFIT: 'The classifier does not give the output that its labels file describes.',
  DECLINED: 'The model declined to describe this picture.',
  MALFORMED: 'The model gave an answer in the wrong format.',
  TIMEOUT: 'The model server did not answer in time.',
  UNREACHABLE: 'Lightbox cannot reach the model server.',
  CUT_SHORT: 'The model’s answer was incomplete.',
  WITHHELD: 'The model server withheld its answer.',
  KEY_REFUSED: 'The model server refused the key of Lightbox.',
  MODEL_UNKNOWN: 'The model server does not know the configured model.',
  BUSY: 'The model server is too busy.',
  SERVER_FAILED: 'The model server failed.',
  NOT_ACCEPTED: 'The model server did not accept the request.',
} as const;

export type ReasonCode = keyof typeof analysisReasons;

/** Returns the English text, with the HTTP status of the model server's answer if it gave one. */
export const reasonText = (code: ReasonCode, status?: number): string =>
  status === undefined ? analysisReasons[code] : analysisReasons[code].replace(/\.$/, ` (${status}).`);
