import { randomUUID } from 'node:crypto';
import type { FieldError } from '@lightbox/contract/envelope.js';
import { type ErrorCode, errors } from '@lightbox/contract/errors.js';
import type { Logger } from './process/log.js';

interface Details {
  /** Replaces the table's words where a more exact sentence helps. Never text from a driver or a file. */
  message?: string;
  errors?: FieldError[];
  retryAfterSeconds?: number;
  /** Extra, harmless fields of the failure envelope. */
  extra?: Record<string, unknown>;
}

/** A failure that the product knows: it keeps its words on the way out, everything else becomes one sentence. */
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

/** The envelope of what is refused where no framework answers yet. */
export function bareRefusal(code: ErrorCode, words?: string): { status: number; body: string } {
  const [status, message] = errors[code];
  return { status, body: JSON.stringify({ message: words ?? message, error: code, requestId: randomUUID() }) };
}

/**
 * What is stored is not what was written: it was changed, a part of it is gone, or its key. Says what and whose, by id;
 * it is never shown in part.
 */
export class IntegrityError extends Error {
  override readonly name = 'IntegrityError';
}

/** What `read` gives, or undefined and a line in the log when it is damaged. */
export function unlessDamaged<T>(log: Logger, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    tellDamage(log, error);
    return undefined;
  }
}

const HOUR_MS = 3_600_000;
/** Far more records than are ever damaged at once; beyond it some are told again. */
const REMEMBERED = 10_000;
const toldTo = new WeakMap<Logger, Map<string, number>>();

/** The line that alarms are raised on: once an hour for each record, however often it is come across. */
export function tellDamage(log: Logger, { message }: IntegrityError): void {
  const now = Date.now();
  const told = toldTo.get(log) ?? new Map<string, number>();
  toldTo.set(log, told);
  if (now - (told.get(message) ?? 0) < HOUR_MS) return;
  if (told.size >= REMEMBERED) told.clear();
  told.set(message, now);
  log.error({ reason: message }, 'something stored is damaged');
}

/** One wrong field; several go into one `AppError('VALIDATION_FAILED')`. */
export const fieldError = (field: string, message: string): AppError =>
  new AppError('VALIDATION_FAILED', { errors: [{ field, message }] });
