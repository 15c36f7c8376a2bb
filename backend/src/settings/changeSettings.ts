import type { Setting, settingCalls } from '@lightbox/contract/settings/calls.js';
import { currentName, isKnownSetting, needsProof, settingFault } from '@lightbox/contract/settings/known.js';
import { localSignInRules } from '@lightbox/contract/signOn/policy.js';
import { SWITCH as CARERS, endCarersWhenOff } from '@lightbox/core/carers/switch.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { SWITCH as EMERGENCIES, endWhenOff } from '@lightbox/core/emergencies/switch.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { SettingDoc } from '@lightbox/core/models/setting.js';
import type { SettingChangeDoc } from '@lightbox/core/models/settingChange.js';
import type { ClientSession } from 'mongoose';
import { requireProven } from '../auth/proven.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { leavesAWayIn, localSignIn } from '../signOn/local.js';
import { presentSetting } from './listSettings.js';

/** Throws when a setting that the product knows gets a value that it cannot use. Any other name is a note. */
function checkValue(name: string, value: string): void {
  const fault = isKnownSetting(name) && settingFault(name, value);
  if (fault) throw fieldError('value', fault);
}

/** Throws `STEP_UP_REQUIRED` for a setting that only a person with a recent proof may change. */
async function requireProof(gateway: Gateway, viewer: Viewer, names: readonly string[]): Promise<void> {
  if (names.some(needsProof)) await requireProven(gateway, viewer, 'recent');
}

/**
 * Throws when a change would leave nobody who can sign in without a provider. Part of every transaction that changes a
 * value.
 */
async function keepAWayIn(gateway: Gateway, tx: Transaction, names: readonly string[]): Promise<void> {
  if (!names.some((name) => name.startsWith('signIn.'))) return;
  if (!localSignInRules.needsBreakGlass(await localSignIn(gateway, tx.session))) return;
  if (gateway.signOn.all.length === 0) throw fieldError('value', 'No provider of single sign-on is configured.');
  if (await leavesAWayIn(gateway, tx.session)) return;
  throw fieldError('value', 'Name an active administrator in signIn.breakGlass first.');
}

/** Ends what the change of a setting turned off. Part of every transaction that changes a value. */
async function endTurnedOff(gateway: Gateway, tx: Transaction, names: readonly string[]): Promise<void> {
  await keepAWayIn(gateway, tx, names);
  if (names.includes(EMERGENCIES)) await endWhenOff(gateway, tx);
  if (names.includes(CARERS)) await endCarersWhenOff(gateway, tx);
}

async function requireSetting(gateway: Gateway, id: ObjectId, session?: ClientSession): Promise<SettingDoc> {
  const setting = await gateway.models.Setting.findById(id)
    .session(session ?? null)
    .lean<SettingDoc>();
  if (!setting) throw new AppError('NOT_FOUND');
  return setting;
}

const nameTaken = (error: unknown) => {
  throw isDuplicate(error) ? new AppError('CONFLICT', { message: 'A setting with this name already exists.' }) : error;
};

type Values = Pick<SettingChangeDoc, 'name' | 'from' | 'to'>;

/** Adds a change to the setting's history, in the transaction of the change itself, so that the two always agree. */
async function addToHistory(gateway: Gateway, tx: Transaction, setting: ObjectId, by: ObjectId, values: Values) {
  const at = gateway.clock.now();
  const change: SettingChangeDoc = { _id: newId(at), setting, by, at, ...values };
  await gateway.models.SettingChange.create([change], { session: tx.session });
}

export async function addSetting({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof settingCalls.addSetting>): Promise<Answer<Setting>> {
  const name = currentName(body.name);
  checkValue(name, body.value);
  await requireProof(gateway, viewer, [name]);
  const now = gateway.clock.now();
  const setting: SettingDoc = { _id: newId(now), ...body, name, createAt: now, updatedAt: now };
  const id = await gateway.events
    .change(actor, async (tx) => {
      await gateway.models.Setting.create([setting], { session: tx.session });
      await addToHistory(gateway, tx, setting._id, viewer._id, { name: setting.name, to: setting.value });
      await endTurnedOff(gateway, tx, [name]);
      tx.record({ type: 'setting.add', record: setting._id });
      return setting._id;
    })
    .catch(nameTaken);
  gateway.settings.forget();
  return { data: presentSetting(await requireSetting(gateway, id)) };
}

export async function editSetting({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<typeof settingCalls.editSetting>): Promise<Answer<Setting>> {
  const id = oid(params.id);
  await gateway.events
    .change(actor, async (tx) => {
      const before = await requireSetting(gateway, id, tx.session);
      const next = {
        name: currentName(body.name ?? before.name),
        value: body.value ?? before.value,
        description: body.description ?? before.description,
      };
      checkValue(next.name, next.value);
      await requireProof(gateway, viewer, [before.name, next.name]);
      await gateway.models.Setting.updateOne(
        { _id: id },
        { $set: { ...next, updatedAt: gateway.clock.now() } },
        { session: tx.session },
      );
      if (next.value !== before.value || next.name !== before.name) {
        await addToHistory(gateway, tx, id, viewer._id, { name: next.name, from: before.value, to: next.value });
      }
      await endTurnedOff(gateway, tx, [before.name, next.name]);
      tx.record({ type: 'setting.edit', record: id });
      return id;
    })
    .catch(nameTaken);
  gateway.settings.forget();
  return { data: presentSetting(await requireSetting(gateway, id)) };
}

export async function deleteSetting({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof settingCalls.deleteSetting>): Promise<Answer<unknown>> {
  const id = oid(body.id);
  await gateway.events.change(actor, async (tx) => {
    const { name } = await requireSetting(gateway, id, tx.session);
    await requireProof(gateway, viewer, [name]);
    await removeSetting(gateway, tx, id, viewer._id);
    return id;
  });
  gateway.settings.forget();
  return { data: null };
}

/** Removes a setting, with its event, as part of the caller's transaction; after it `gateway.settings.forget()`. */
export async function removeSetting(gateway: Gateway, tx: Transaction, id: ObjectId, by: ObjectId): Promise<void> {
  const { name, value } = await requireSetting(gateway, id, tx.session);
  await gateway.models.Setting.deleteOne({ _id: id }, { session: tx.session });
  await addToHistory(gateway, tx, id, by, { name, from: value });
  await endTurnedOff(gateway, tx, [name]);
  tx.record({ type: 'setting.delete', record: id });
}
