import { errors } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ClientSession, Model, QueryFilter } from 'mongoose';

interface Where {
  session?: ClientSession | null;
  /** The field that counts the tries. */
  counter?: string;
}

/**
 * Takes one of the five tries of a code, in one atomic write and before the code is compared: of many concurrent
 * guesses no more than five are compared. Returns null when no try is left, or when no record matches.
 */
export const takeTry = <Doc>(
  records: Model<Doc>,
  wanted: QueryFilter<Doc>,
  { session = null, counter = 'tries' }: Where = {},
): Promise<Doc | null> =>
  records
    .findOneAndUpdate(
      { ...wanted, [counter]: { $not: { $gte: limits.codeTries } } } as QueryFilter<Doc>,
      { $inc: { [counter]: 1 } } as object,
      { returnDocument: 'after', session },
    )
    .lean<Doc>();

/** Returns the error for a wrong code, with further facts for the client. `tries` includes this try. */
export function wrongCode(tries: number, facts: { belongsTo?: string } = {}): AppError {
  const triesLeft = limits.codeTries - tries;
  return new AppError('WRONG_CODE', {
    message: `${errors.WRONG_CODE[1]} ${triesLeft} ${triesLeft === 1 ? 'try' : 'tries'} left.`,
    extra: { triesLeft, ...facts },
  });
}
