import { errors } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ClientSession, Model, QueryFilter } from 'mongoose';

interface Where {
  session?: ClientSession | null;
  /** The field that counts. */
  counter?: string;
}

/**
 * Takes one of the five tries of a code, in one atomic write and before the code is compared: of many guesses at once no more
 * than five are compared. Null when no try is left, or when no record matches.
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

/** The refusal of a wrong code, with this try the `tries`th. */
export function wrongCode(tries: number): AppError {
  const triesLeft = limits.codeTries - tries;
  return new AppError('WRONG_CODE', {
    message: `${errors.WRONG_CODE[1]} ${triesLeft} ${triesLeft === 1 ? 'try' : 'tries'} left.`,
    extra: { triesLeft },
  });
}
