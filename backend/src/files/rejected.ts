import type { ErrorCode } from '@lightbox/contract/errors.js';

/** The error codes of the contract for a refused file. */
export type RejectionCode = Extract<
  ErrorCode,
  'UNSUPPORTED_TYPE' | 'UNREADABLE_FILE' | 'TOO_MANY_PIXELS' | 'FILE_TOO_LARGE'
>;

/** The refusal of a file. Its message says the reason, and may be shown to the person who sent the file. */
export class FileRejected extends Error {
  readonly code: RejectionCode;

  constructor(code: RejectionCode, message: string) {
    super(message);
    this.name = 'FileRejected';
    this.code = code;
  }
}

export const unsupported = () =>
  new FileRejected('UNSUPPORTED_TYPE', 'Invalid file type. Allowed: .jpg, .png, .pdf, .dicom');
export const contradicted = () =>
  new FileRejected('UNSUPPORTED_TYPE', 'The content of the file is not of the type that its name or label says.');
export const damaged = (what = 'The file is damaged or incomplete.') => new FileRejected('UNREADABLE_FILE', what);
export const unreadableDicom = () => damaged('Not a readable DICOM file.');
export const pixelMismatch = () => damaged('Pixel data do not match.');
export const tooManyPixels = () => new FileRejected('TOO_MANY_PIXELS', 'The picture has too many pixels.');
export const tooLarge = (message = 'The file is too large.') => new FileRejected('FILE_TOO_LARGE', message);
