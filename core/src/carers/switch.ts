import { knownSettings } from '@lightbox/contract/settings/known.js';
import type { Core } from '../core.js';
import { AppError } from '../errors.js';
import type { Transaction } from '../events/events.js';
import { endCarers } from './endCarers.js';

export const SWITCH = 'access.carers';

async function isOn({ models }: Pick<Core, 'models'>, { session }: Transaction): Promise<boolean> {
  const { value, fallback } = knownSettings[SWITCH];
  const setting = await models.Setting.findOne({ name: SWITCH }, null, { session }).lean();
  return (value.safeParse(setting?.value).data ?? fallback) === 'yes';
}

/**
 * Throws while carers are turned off. Turning them off at the same moment writes every live record, so it conflicts with
 * an answer to one of them. A record that is named at that moment waits, and cannot be accepted.
 */
export async function requireCarers(core: Pick<Core, 'models'>, tx: Transaction): Promise<void> {
  if (!(await isOn(core, tx))) throw new AppError('CARERS_OFF');
}

/** Ends all carers if they are turned off. Part of every transaction that may have turned them off. */
export async function endCarersWhenOff(core: Pick<Core, 'models' | 'clock'>, tx: Transaction): Promise<void> {
  if (!(await isOn(core, tx))) await endCarers(core, tx, {}, 'off');
}
