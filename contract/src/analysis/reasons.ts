import { z } from 'zod';

/** The reasons of a failed analysis: a stable code, by which the client words them, and the English text. */
export const analysisReasons = {
  UNFORESEEN: 'The analysis could not be completed.',
  PDF: 'A PDF document cannot be analysed as an image.',
  NO_PICTURE: 'The DICOM file holds no picture.',
  UNDRAWABLE: 'The picture in this file cannot be drawn, so it cannot be analysed.',
  BURNED_IN: 'The file says that text is written into the picture, so it is not sent to another server.',
  DECLINED: 'The model declined to describe this picture.',
  MALFORMED: 'The model gave an answer that does not have the agreed form.',
  TIMEOUT: 'The model server did not answer in time.',
  UNREACHABLE: 'The model server cannot be reached.',
  CUT_SHORT: 'The answer of the model was cut short.',
  WITHHELD: 'The model server withheld its answer.',
  KEY_REFUSED: 'The model server refused our key.',
  MODEL_UNKNOWN: 'The model server does not know the configured model.',
  BUSY: 'The model server is too busy.',
  SERVER_FAILED: 'The model server failed.',
  NOT_ACCEPTED: 'The model server did not accept the request.',
} as const;

export const ReasonCode = z.enum(Object.keys(analysisReasons) as [ReasonCode, ...ReasonCode[]]);
export type ReasonCode = keyof typeof analysisReasons;

/** Returns the English text, with the HTTP status of the model server's answer if it gave one. */
export const reasonText = (code: ReasonCode, status?: number): string =>
  status === undefined ? analysisReasons[code] : analysisReasons[code].replace(/\.$/, ` (${status}).`);
