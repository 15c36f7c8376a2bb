import type { DataOf } from '@lightbox/contract/call.js';
import type { Setting, SettingChange, SettingInfo, settingCalls } from '@lightbox/contract/settings/calls.js';
import { knownSettings, settingNames } from '@lightbox/contract/settings/known.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { SettingChangeDoc, SettingDoc, UserDoc } from '@lightbox/core/models/types.js';
import type { Answer, Context } from '../context.js';
import { presentRef } from '../users/present.js';

export const presentSetting = (setting: SettingDoc): Setting => ({
  id: String(setting._id),
  name: setting.name,
  value: setting.value,
  description: setting.description,
  createAt: setting.createAt.toISOString(),
  updatedAt: setting.updatedAt.toISOString(),
});

export async function listSettings({ gateway }: Context<typeof settingCalls.listSettings>): Promise<Answer<Setting[]>> {
  const settings = await gateway.models.Setting.find().sort({ name: 1 }).limit(1000).lean<SettingDoc[]>();
  return { data: settings.map(presentSetting) };
}

export async function listKnownSettings({
  gateway,
}: Context<typeof settingCalls.listKnownSettings>): Promise<Answer<SettingInfo[]>> {
  return {
    data: await Promise.all(
      settingNames.map(async (name) => {
        const { value: _, fallback, ...about } = knownSettings[name];
        return { name, ...about, default: String(fallback), current: String(await gateway.settings.get(name)) };
      }),
    ),
  };
}

type PublicCall = typeof settingCalls.getPublicSettings;

export async function getPublicSettings({ gateway }: Context<PublicCall>): Promise<Answer<DataOf<PublicCall>>> {
  const { settings } = gateway;
  return {
    data: {
      'upload.maxBytes': await settings.get('upload.maxBytes'),
      'sharing.expiryHours': await settings.get('sharing.expiryHours'),
      'session.idleMinutes': await settings.get('session.idleMinutes'),
    },
  };
}

/** What was deleted keeps its history. A setting from before there was one has none yet. */
export async function listSettingHistory({
  gateway,
  params,
  query,
}: Context<typeof settingCalls.listSettingHistory>): Promise<Answer<SettingChange[]>> {
  const { models, pages } = gateway;
  const setting = oid(params.id);
  const { rows, pagination } = await pages.list<SettingChangeDoc>(
    { model: models.SettingChange, filter: { setting }, sort: ['at', '_id'], direction: -1 },
    query,
  );
  if (pagination.totalItems === 0 && !(await models.Setting.exists({ _id: setting }))) throw new AppError('NOT_FOUND');
  const people = await models.User.find(
    { _id: { $in: rows.map((row) => row.by) } },
    { firstname: 1, lastname: 1, deletedAt: 1 },
  ).lean<UserDoc[]>();
  const byId = new Map(people.map((user) => [String(user._id), user]));
  return {
    data: rows.map((row) => ({
      id: String(row._id),
      name: row.name,
      from: row.from ?? null,
      to: row.to ?? null,
      by: presentRef(byId.get(String(row.by)), String(row.by)),
      at: row.at.toISOString(),
    })),
    pagination,
  };
}
