import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import { isCode, isLinkToken, newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { ClientSession } from 'mongoose';
import { takeTry, wrongCode } from './tries.js';

const lifetime = (now: Date) => new Date(now.getTime() + limits.codeMinutes * 60_000);

type Changes = Partial<Pick<CodeDoc, '_id' | 'expiresAt' | 'undo' | 'askedFrom' | 'signOn'>>;

/** Returns the record of a new code for an account, which is not stored yet. */
export function newCode(core: Core, user: ObjectId, purpose: CodeDoc['purpose'], changes: Changes = {}): CodeDoc {
  const now = core.clock.now();
  const seed = newCodeSeed(core.keys.codes);
  return { _id: newId(now), user, purpose, ...seed, tries: 0, createAt: now, expiresAt: lifetime(now), ...changes };
}

/**
 * Issues a code for an account. It is also stored for the id of a decoy account, so that guesses are answered alike.
 */
export async function issueCode(
  core: Core,
  user: ObjectId,
  purpose: CodeDoc['purpose'],
  tx: ClientSession | null,
  changes: Changes = {},
): Promise<ObjectId> {
  const code = newCode(core, user, purpose, changes);
  await core.models.Code.create([code], { session: tx });
  return code._id;
}

/** Gives the record another code: the one that was mailed before does not work any more. */
export async function renewCode(core: Core, id: ObjectId, tx: ClientSession): Promise<CodeDoc | null> {
  const now = core.clock.now();
  return core.models.Code.findOneAndUpdate(
    { _id: id, purpose: 'signIn', usedAt: { $exists: false } },
    { $set: { ...newCodeSeed(core.keys.codes), tries: 0, createAt: now, expiresAt: lifetime(now) } },
    { returnDocument: 'after', session: tx },
  ).lean<CodeDoc>();
}

/** Takes one of the five tries of a code. Throws `CODE_LOCKED` or `EXPIRED`. */
export async function takeCodeTry({ models, clock }: Core, id: ObjectId): Promise<CodeDoc> {
  const code = await takeTry(models.Code, { _id: id });
  const known = code ?? (await models.Code.findById(id).lean<CodeDoc>());
  if (!known || known.usedAt || known.expiresAt <= clock.now()) throw new AppError('EXPIRED');
  if (!code) throw new AppError('CODE_LOCKED');
  return code;
}

/** Checks a guess. Throws `WRONG_CODE`, `CODE_LOCKED` or `EXPIRED`. */
export async function checkCode(core: Core, id: ObjectId, guess: string): Promise<void> {
  const code = await takeCodeTry(core, id);
  if (!isCode(core.keys.codes, String(id), code, guess)) throw wrongCode(code.tries);
}

/**
 * Returns the code of a mailed link. Throws a field error for an invalid link, `EXPIRED` for one that was used or is
 * too old.
 */
export async function codeByLink(core: Core, purpose: 'reset' | 'notMe', token: string): Promise<CodeDoc> {
  const id = token.split('.')[0] ?? '';
  const code = /^[0-9a-f]{24}$/.test(id) ? await core.models.Code.findById(oid(id)).lean<CodeDoc>() : null;
  if (code?.purpose !== purpose || !isLinkToken(core.keys.codes, id, code, token)) {
    throw fieldError('token', 'This link is not valid.');
  }
  if (code.usedAt || code.expiresAt <= core.clock.now()) throw new AppError('EXPIRED');
  return code;
}

/** Spends a code as part of a transaction. Returns false when a concurrent call has just spent it. */
export async function useCode(core: Core, id: ObjectId, tx: ClientSession): Promise<boolean> {
  const used = await core.models.Code.updateOne(
    { _id: id, usedAt: { $exists: false } },
    { $set: { usedAt: core.clock.now() } },
    { session: tx },
  );
  return used.modifiedCount === 1;
}
