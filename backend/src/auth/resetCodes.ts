import { AppError } from '@lightbox/core/errors.js';
import { isCode } from '@lightbox/core/keys/codes.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { QueryFilter } from 'mongoose';
import type { Gateway } from '../context.js';
import { issueCode, takeCodeTry } from './codes.js';
import { takeTry, wrongCode } from './tries.js';

/*
 * A guess at a reset code must not tell whether its address has an account, or what its owner does meanwhile. So the
 * answer to a wrong guess comes from a record that every address has, under the id of its decoy account: one for each
 * network that asked for a code, and one for all other networks. The record of the real code says only whether the guess
 * is right.
 */

export const latestReset = (gateway: Gateway, about: QueryFilter<CodeDoc>) =>
  gateway.models.Code.findOne({ ...about, purpose: 'reset' })
    .sort({ createAt: -1 })
    .lean<CodeDoc>();

/** Keeps the record by which guesses from a network that asks for a code are answered. */
export const noteAsker = (gateway: Gateway, email: string, askedFrom: string) =>
  issueCode(gateway, gateway.decoyAccountId(email), 'reset', null, { askedFrom });

/**
 * Takes a try of a real code, and returns true for the right one. Throws `EXPIRED` for the right one that was used or is
 * too old: only the owner of the mailbox has it. The network that asked for it has five tries of its own, so that guesses
 * from elsewhere do not lock the owner out.
 */
export async function isRightReset(gateway: Gateway, code: CodeDoc, guess: string, from: string): Promise<boolean> {
  const { models, clock, keys } = gateway;
  const counter = code.askedFrom === from ? 'askersTries' : 'tries';
  const tried = await takeTry(models.Code, { _id: code._id }, { counter });
  if (!tried || !isCode(keys.codes, String(tried._id), tried, guess)) return false;
  if (tried.usedAt || tried.expiresAt <= clock.now()) throw new AppError('EXPIRED');
  return true;
}

/**
 * Counts a wrong guess and returns the error for it: `WRONG_CODE`, `CODE_LOCKED`, or `EXPIRED` for a network that asked
 * for a code too long ago.
 */
export async function refuseReset(gateway: Gateway, email: string, from: string): Promise<AppError> {
  const user = gateway.decoyAccountId(email);
  const others = { askedFrom: { $exists: false }, expiresAt: { $gt: gateway.clock.now() } };
  const known =
    (await latestReset(gateway, { user, askedFrom: from })) ?? (await latestReset(gateway, { user, ...others }));
  try {
    const { tries } = await takeCodeTry(gateway, known?._id ?? (await issueCode(gateway, user, 'reset', null)));
    return wrongCode(tries);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
