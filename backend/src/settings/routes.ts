import type { Setting } from '@lightbox/contract/settings/calls.js';
import { settingCalls } from '@lightbox/contract/settings/calls.js';
import { isKnownSetting, knownSettings } from '@lightbox/contract/settings/known.js';
import { isDuplicate, newId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { SettingDoc } from '@lightbox/core/models/types.js';
import type { Router } from 'express';
import type { Answer, Context, Gateway } from '../context.js';
import { bind } from '../http/handle.js';

const presentSetting = (setting: SettingDoc): Setting => ({
  id: String(setting._id),
  name: setting.name,
  value: setting.value,
  description: setting.description,
  createAt: setting.createAt.toISOString(),
  updatedAt: setting.updatedAt.toISOString(),
});

/** A setting the product knows must have a value that it can use; any other name is a note. */
function checkValue(name: string, value: string): void {
  if (isKnownSetting(name) && !knownSettings[name].value.safeParse(value).success) {
    throw fieldError('value', `This is not a value for ${name}. ${knownSettings[name].description}`);
  }
}

async function requireSetting(gateway: Gateway, id: string): Promise<SettingDoc> {
  const setting = await gateway.models.Setting.findById(oid(id)).lean<SettingDoc>();
  if (!setting) throw new AppError('NOT_FOUND');
  return setting;
}

async function listSettings({ gateway }: Context<typeof settingCalls.listSettings>): Promise<Answer<Setting[]>> {
  const settings = await gateway.models.Setting.find().sort({ name: 1 }).limit(1000).lean<SettingDoc[]>();
  return { data: settings.map(presentSetting) };
}

async function addSetting({ gateway, actor, body }: Context<typeof settingCalls.addSetting>): Promise<Answer<Setting>> {
  checkValue(body.name, body.value);
  const now = gateway.clock.now();
  const setting: SettingDoc = { _id: newId(), ...body, createAt: now, updatedAt: now };
  const id = await gateway.events
    .change(actor, async (tx) => {
      await gateway.models.Setting.create([setting], { session: tx.session });
      tx.record({ type: 'setting.add', table: 'appsettings', record: setting._id });
      return setting._id;
    })
    .catch((error) => {
      throw isDuplicate(error)
        ? new AppError('CONFLICT', { message: 'A setting with this name is there already.' })
        : error;
    });
  gateway.settings.forget();
  return { data: presentSetting(await requireSetting(gateway, String(id))) };
}

async function editSetting({
  gateway,
  actor,
  params,
  body,
}: Context<typeof settingCalls.editSetting>): Promise<Answer<Setting>> {
  const setting = await requireSetting(gateway, params.id);
  const next = {
    name: body.name ?? setting.name,
    value: body.value ?? setting.value,
    description: body.description ?? setting.description,
  };
  checkValue(next.name, next.value);
  await gateway.events
    .change(actor, async (tx) => {
      await gateway.models.Setting.updateOne(
        { _id: setting._id },
        { $set: { ...next, updatedAt: gateway.clock.now() } },
        { session: tx.session },
      );
      tx.record({ type: 'setting.edit', table: 'appsettings', record: setting._id });
      return setting._id;
    })
    .catch((error) => {
      throw isDuplicate(error)
        ? new AppError('CONFLICT', { message: 'A setting with this name is there already.' })
        : error;
    });
  gateway.settings.forget();
  return { data: presentSetting(await requireSetting(gateway, params.id)) };
}

async function deleteSetting({
  gateway,
  actor,
  body,
}: Context<typeof settingCalls.deleteSetting>): Promise<Answer<unknown>> {
  const setting = await requireSetting(gateway, body.id);
  await gateway.events.change(actor, async (tx) => {
    await gateway.models.Setting.deleteOne({ _id: setting._id }, { session: tx.session });
    tx.record({ type: 'setting.delete', table: 'appsettings', record: setting._id });
    return setting._id;
  });
  gateway.settings.forget();
  return { data: null };
}

export function settingRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, settingCalls.listSettings, listSettings);
  bind(router, gateway, settingCalls.addSetting, addSetting);
  bind(router, gateway, settingCalls.editSetting, editSetting);
  bind(router, gateway, settingCalls.deleteSetting, deleteSetting);
}
