import { randomUUID } from 'node:crypto';
import type { Failure, FieldError } from '@lightbox/contract/envelope.js';
import { type ErrorCode, errors } from '@lightbox/contract/errors.js';
import type { Logger } from './process/log.js';
import { seldom } from './process/seldom.js';
import { HOUR_MS } from './times.js';

interface Details {
  /** Replaces the table's text where a more exact sentence helps. Never text from a driver or a file. */
  message?: string;
  errors?: FieldError[];
  retryAfterSeconds?: number;
  /** Further fields of the failure envelope. */
  extra?: Pick<Failure, 'triesLeft' | 'belongsTo' | 'ways'>;
}

/** A failure that the product knows. It keeps its text in the answer; any other error becomes one general sentence. */
export class AppError extends Error {
  readonly status: number;
  constructor(
    readonly code: ErrorCode,
    readonly details: Details = {},
  ) {
    super(details.message ?? errors[code][1]);
    this.status = errors[code][0];
  }
}

/** Returns the envelope of a refusal where no framework answers yet. */
export function bareRefusal(code: ErrorCode, words?: string): { status: number; body: string } {
  const [status, message] = errors[code];
  return { status, body: JSON.stringify({ message: words ?? message, error: code, requestId: randomUUID() }) };
}

/**
 * Stored data is not what was written: it was changed, a part of it is gone, or its key is. The message names the
 * record by id; the data is never shown in part.
 */
export class IntegrityError extends Error {
  override readonly name = 'IntegrityError';
}

/** Returns the result of `read`; undefined, and a line in the log, when it is damaged. */
export function unlessDamaged<T>(log: Logger, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    tellDamage(log, error);
    return undefined;
  }
}

const loggedOf = new WeakMap<Logger, (message: string) => boolean>();

/** Writes the log line on which alarms are raised: at most once an hour for each record. */
export function tellDamage(log: Logger, { message }: IntegrityError): void {
  const isDue = loggedOf.get(log) ?? seldom(HOUR_MS);
  loggedOf.set(log, isDue);
  if (isDue(message)) log.error({ reason: message }, 'something stored is damaged');
}

/** One wrong field; several go into one `AppError('VALIDATION_FAILED')`. */
export const fieldError = (field: string, message: string): AppError =>
  new AppError('VALIDATION_FAILED', { errors: [{ field, message }] });
