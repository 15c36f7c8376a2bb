import { AppError, IntegrityError } from '@lightbox/core/errors.js';
import { PartAway } from '@lightbox/core/process/partAway.js';
import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import { AnalysisFailed, NotAnalysable } from './analysis/providers/provider.js';
import { RenderCrashed } from './previews/renderer.js';

/** A job failed. The product wrote the message itself. */
export class JobFailed extends Error {
  override readonly name: string = 'JobFailed';
}

/**
 * A job is about something that only a newer version of the product knows. It waits for a process of that version, and no
 * process of this one may do a part of it or call it done.
 */
export class NewerVersion extends Error {
  override readonly name = 'NewerVersion';
}

/** Errors whose messages the product wrote itself. They contain only ids, numbers and codes. */
const ours = [
  JobFailed,
  AppError,
  IntegrityError,
  NotAnalysable,
  AnalysisFailed,
  RenderCrashed,
  UnrecoverableError,
  DelayedError,
  WaitingError,
  PartAway,
  NewerVersion,
];

const isOurs = (error: unknown): error is Error => ours.some((kind) => error instanceof kind);

/**
 * Returns an error that is safe for the log and for Redis. Drivers, mail servers and parsers put addresses and values
 * into their messages, so the result has only the kind of the error, its code and its place in the code.
 */
export function withoutForeignText(error: unknown): Error {
  if (isOurs(error)) return error;
  const { name, code, message = '', stack = '' } = (error ?? {}) as Partial<Error> & { code?: unknown };
  const safe = new JobFailed([name, code].filter(isWord).join(' ') || 'unknown fault');
  const frames = message && stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : '';
  safe.stack = `${safe.name}: ${safe.message}${frames}`;
  return safe;
}

const isWord = (value: unknown): boolean => /^\w{1,40}$/.test(String(value ?? ''));
