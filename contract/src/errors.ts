import { limits } from './limits.js';
import { texts } from './texts.js';

/**
 * Every failure that leaves the server: a stable code, its HTTP status and its English text. The product's own client
 * reads the code. The texts of `UNAUTHENTICATED`, `JWT_EXPIRED`, `AUTHENTICATION_FAILED` and `INVALID_CREDENTIALS` are
 * fixed too: clients that were written for the specification sign out when a 401 contains them.
 */
export const errors = {
  UNAUTHENTICATED: [401, 'Unauthenticated'],
  JWT_EXPIRED: [401, 'jwt expired'],
  AUTHENTICATION_FAILED: [401, 'Authentication failed'],
  INVALID_CREDENTIALS: [401, 'Invalid email or password'],
  FORBIDDEN: [403, 'You don’t have permission to do this.'],
  PASSKEY_REFUSED: [401, 'This passkey does not work here. Use another one, or log in with your password.'],
  TOTP_REQUIRED: [403, 'Set up an authenticator app or a passkey first. Your role must use one to log in.'],
  STEP_UP_REQUIRED: [403, 'Please confirm that it is you, then try again.'],
  NOT_VERIFIED: [403, 'Image not Verified. Enter the sharing id and code from your email to see it.'],
  NO_DOWNLOAD: [403, 'You can see this image. The person who shared it does not allow the download.'],
  CANNOT_ATTACH: [
    403,
    'The other person has no access to this image, and only its owner can give it. Ask the owner to share it.',
  ],
  ACCOUNT_PENDING: [403, 'Your account is under review.'],
  ACCOUNT_REJECTED: [403, 'Your account was not approved.'],
  ACCOUNT_INACTIVE: [403, 'Your account is not active. Ask an administrator.'],
  BAD_REQUEST: [400, 'The request cannot be read.'],
  MALFORMED_JSON: [400, 'Malformed JSON.'],
  OBJECT_EXPECTED: [400, 'A JSON object is expected.'],
  MALFORMED_UPLOAD: [400, texts.malformedUpload],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  UNSUPPORTED_VERSION: [412, 'This version of the protocol is not supported.'],
  PAYLOAD_TOO_LARGE: [413, 'The request is too large.'],
  FILE_TOO_LARGE: [413, texts.fileSize(limits.uploadBytes)],
  UNSUPPORTED_MEDIA_TYPE: [415, 'This content type or encoding is not supported.'],
  UNSUPPORTED_TYPE: [415, texts.fileType],
  HEADERS_TOO_LARGE: [431, 'The request headers are too large.'],
  RANGE_NOT_SATISFIABLE: [416, 'The file has no such range of bytes.'],
  MISDIRECTED: [421, 'This server does not answer under this name.'],
  VALIDATION_FAILED: [422, 'Please check the fields.'],
  UNREADABLE_FILE: [422, 'The file is damaged or cannot be read.'],
  TOO_MANY_PIXELS: [422, 'The picture is too large.'],
  WRONG_CODE: [422, 'That code didn’t match.'],
  NOT_FOUND: [404, 'Not found.'],
  PREVIEW_PENDING: [404, 'The preview is not ready yet.'],
  NO_PREVIEW: [404, 'This file has no preview.'],
  NO_FRAME: [404, 'This file has no such frame.'],
  METHOD_NOT_ALLOWED: [405, 'This method is not allowed here.'],
  CONFLICT: [409, 'This conflicts with existing data.'],
  ALREADY_SHARED: [409, 'This image is already shared with this person.'],
  NOT_PENDING: [409, 'This account is not waiting for review.'],
  LAST_ADMIN: [409, 'The last active administrator cannot be removed.'],
  NOT_ONESELF: [409, 'You cannot do this to your own account.'],
  PATIENT_MISMATCH: [409, 'The file names another patient. Choose the right one, or say why it belongs to this one.'],
  QUOTA_REACHED: [409, 'Your storage is full. Delete images that you no longer need.'],
  NOT_ANALYSABLE: [409, 'This file cannot be analyzed.'],
  PUSH_OFF: [409, 'This server does not send notifications to devices.'],
  EXPIRED: [410, 'This has expired.'],
  LINK_REVOKED: [410, 'The sender withdrew this link.'],
  LINK_USED_UP: [410, 'This link has been opened as often as the sender allowed.'],
  CODE_LOCKED: [423, 'Too many wrong codes. Ask for a new one.'],
  TOO_MANY_REQUESTS: [429, 'Too many tries. Please wait a moment, then try again.'],
  INTERNAL: [500, 'Something went wrong. Please try again.'],
  DAMAGED: [500, 'The stored data is damaged and cannot be shown. Please tell an administrator.'],
  UNAVAILABLE: [503, 'The service is temporarily unavailable. Please try again.'],
  STORAGE_FULL: [507, 'The server has no storage space left.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof errors;
