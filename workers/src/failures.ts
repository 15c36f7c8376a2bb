import { PartAway } from '@lightbox/core/db/away.js';
import { AppError, IntegrityError } from '@lightbox/core/errors.js';
import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import { AnalysisFailed, NotAnalysable } from './analysis/providers/provider.js';
import { RenderCrashed } from './previews/renderer.js';

/** A job came to nothing, in words of our own. */
export class JobFailed extends Error {
  override readonly name: string = 'JobFailed';
}

/** Errors whose words the product wrote itself, about ids, numbers and codes. */
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
];

const isOurs = (error: unknown): error is Error => ours.some((kind) => error instanceof kind);

/**
 * What may be said of a failure in the log and in Redis: a driver, a mail server or a parser puts addresses and values
 * into its message, so only the kind of its error is told, its code, and where in the code it arose.
 */
export function withoutForeignText(error: unknown): Error {
  if (isOurs(error)) return error;
  const { name, code, message = '', stack = '' } = (error ?? {}) as Partial<Error> & { code?: unknown };
  const safe = new JobFailed([name, code].filter(isWord).join(' ') || 'unknown fault');
  const places = message && stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : '';
  safe.stack = `${safe.name}: ${safe.message}${places}`;
  return safe;
}

const isWord = (value: unknown): boolean => /^\w{1,40}$/.test(String(value ?? ''));
