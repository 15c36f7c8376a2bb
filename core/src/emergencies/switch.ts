import { knownSettings } from '@lightbox/contract/settings/known.js';
import { touch } from '../access/hold.js';
import type { Core } from '../core.js';
import { AppError } from '../errors.js';
import type { Transaction } from '../events/events.js';
import type { SettingDoc } from '../models/setting.js';
import { endEmergencies } from './endEmergencies.js';

export const SWITCH = 'access.breakGlass';

const isOn = (setting: SettingDoc | null): boolean =>
  knownSettings[SWITCH].value.safeParse(setting?.value).data === 'yes';

/** Throws while emergency access is off. It writes the setting, so that a change of it at the same moment conflicts. */
export async function holdSwitch({ models }: Pick<Core, 'models'>, { session }: Transaction): Promise<void> {
  const setting = await models.Setting.findOneAndUpdate({ name: SWITCH }, touch, { session }).lean<SettingDoc>();
  if (!isOn(setting)) throw new AppError('EMERGENCY_OFF');
}

/** Ends all emergency accesses if emergency access is off. Part of every transaction that may have turned it off. */
export async function endWhenOff(core: Pick<Core, 'models' | 'clock'>, tx: Transaction): Promise<void> {
  const setting = await core.models.Setting.findOne({ name: SWITCH }, null, { session: tx.session }).lean<SettingDoc>();
  if (!isOn(setting)) await endEmergencies(core, tx, {}, 'off');
}
