import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { isCode, newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { CodeDoc } from '@lightbox/core/models/types.js';
import type { ClientSession } from 'mongoose';

const lifetime = (now: Date) => new Date(now.getTime() + limits.codeMinutes * 60_000);

/** A new code for an account. For an account that is not there it is kept all the same, so that guessing it looks alike. */
export async function issueCode(
  core: Core,
  user: ObjectId,
  purpose: CodeDoc['purpose'],
  tx: ClientSession | null,
): Promise<ObjectId> {
  const now = core.clock.now();
  const code: CodeDoc = {
    _id: newId(),
    user,
    purpose,
    ...newCodeSeed(core.keys.codes),
    tries: 0,
    createAt: now,
    expiresAt: lifetime(now),
  };
  await core.models.Code.create([code], { session: tx });
  return code._id;
}

/** The same record with another code: the one that was mailed before is worth nothing from now on. */
export async function renewCode(core: Core, id: ObjectId, tx: ClientSession): Promise<CodeDoc | null> {
  const now = core.clock.now();
  return core.models.Code.findOneAndUpdate(
    { _id: id, purpose: 'signIn', usedAt: { $exists: false } },
    { $set: { ...newCodeSeed(core.keys.codes), tries: 0, createAt: now, expiresAt: lifetime(now) } },
    { returnDocument: 'after', session: tx },
  ).lean<CodeDoc>();
}

/**
 * Takes one of the five tries, which comes before any comparison: of guesses made at once no more than five are ever
 * looked at. Throws `CODE_LOCKED` or `EXPIRED`.
 */
export async function takeTry(core: Core, id: ObjectId): Promise<CodeDoc> {
  const code = await core.models.Code.findOneAndUpdate(
    { _id: id, tries: { $lt: limits.codeTries } },
    { $inc: { tries: 1 } },
    { returnDocument: 'after' },
  ).lean<CodeDoc>();
  if (!code) throw await refusalOf(core, id);
  if (code.expiresAt <= core.clock.now() || code.usedAt) throw new AppError('EXPIRED');
  return code;
}

/** Throws `WRONG_CODE`, `CODE_LOCKED` or `EXPIRED`. */
export async function checkCode(core: Core, id: ObjectId, guess: string): Promise<CodeDoc> {
  const code = await takeTry(core, id);
  if (!isCode(core.keys.codes, String(id), code, guess)) throw wrongCode(limits.codeTries - code.tries);
  return code;
}

async function refusalOf(core: Core, id: ObjectId): Promise<AppError> {
  return new AppError((await core.models.Code.exists({ _id: id })) ? 'CODE_LOCKED' : 'EXPIRED');
}

export const wrongCode = (triesLeft: number): AppError =>
  new AppError('WRONG_CODE', {
    message: `That code is not right. ${triesLeft} ${triesLeft === 1 ? 'try' : 'tries'} left.`,
    extra: { triesLeft },
  });

/** Spends a code as part of a transaction; false when somebody else has just done so. */
export async function useCode(core: Core, id: ObjectId, tx: ClientSession): Promise<boolean> {
  const used = await core.models.Code.updateOne(
    { _id: id, usedAt: { $exists: false } },
    { $set: { usedAt: core.clock.now() } },
    { session: tx },
  );
  return used.modifiedCount === 1;
}
