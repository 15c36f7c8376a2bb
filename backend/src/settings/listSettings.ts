import type { DataOf } from '@lightbox/contract/call.js';
import type { PageQuery } from '@lightbox/contract/envelope.js';
import {
  PublicLimits,
  PublicSettings,
  type Setting,
  type SettingChange,
  type SettingInfo,
  type settingCalls,
} from '@lightbox/contract/settings/calls.js';
import { currentName, type KnownSetting, knownSettings, settingNames } from '@lightbox/contract/settings/known.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { ListSource } from '@lightbox/core/db/page.js';
import { AppError } from '@lightbox/core/errors.js';
import type { SettingDoc } from '@lightbox/core/models/setting.js';
import type { SettingChangeDoc } from '@lightbox/core/models/settingChange.js';
import type { Answer, Context, Gateway } from '../context.js';
import { namesOf } from '../users/names.js';

export const presentSetting = (setting: SettingDoc): Setting => ({
  id: String(setting._id),
  name: currentName(setting.name),
  value: setting.value,
  description: setting.description,
  createAt: setting.createAt.toISOString(),
  updatedAt: setting.updatedAt.toISOString(),
});

export async function listSettings({ gateway }: Context<typeof settingCalls.listSettings>): Promise<Answer<Setting[]>> {
  const settings = await gateway.models.Setting.find().sort({ name: 1 }).limit(1000).lean<SettingDoc[]>();
  return { data: settings.map(presentSetting) };
}

/** Returns a lookup of the last change, by whom and when, of each setting that the product knows. */
async function lastChanges({ models }: Gateway): Promise<(name: KnownSetting) => SettingInfo['changed']> {
  const newest = await Promise.all(
    settingNames.map((name) =>
      models.SettingChange.findOne({ name }).sort({ at: -1, _id: -1 }).lean<SettingChangeDoc>(),
    ),
  );
  const nameOf = await namesOf(
    models,
    newest.map((change) => change?.by),
  );
  return (name) => {
    const change = newest.find((one) => one?.name === name);
    return change ? { by: nameOf(change.by), at: change.at.toISOString() } : null;
  };
}

export async function listKnownSettings({
  gateway,
}: Context<typeof settingCalls.listKnownSettings>): Promise<Answer<SettingInfo[]>> {
  const [values, changed] = await Promise.all([gateway.settings.fresh(), lastChanges(gateway)]);
  return {
    data: settingNames.map((name) => {
      const { value: _, fallback, ...about } = knownSettings[name];
      const rest = { name, default: String(fallback), current: String(values[name]), changed: changed(name) };
      return about.kind === 'choice' ? { ...about, ...rest, options: [...about.options] } : { ...about, ...rest };
    }),
  };
}

type PublicCall = typeof settingCalls.getPublicSettings;

export async function getPublicSettings({ gateway }: Context<PublicCall>): Promise<Answer<DataOf<PublicCall>>> {
  return { data: PublicSettings.parse(await gateway.settings.fresh()) };
}

type LimitsCall = typeof settingCalls.getLimits;

/** Answers anyone, without a throttle: settings that were read within the last second are new enough. */
export async function getLimits({ gateway: { settings } }: Context<LimitsCall>): Promise<Answer<DataOf<LimitsCall>>> {
  return { data: PublicLimits.parse(await settings.all()) };
}

type Found = ListSource<SettingChangeDoc>['filter'];

async function historyOf(
  { models, pages }: Gateway,
  filter: Found,
  query: PageQuery,
): Promise<Answer<SettingChange[]>> {
  const { rows, pagination } = await pages.list<SettingChangeDoc>(
    { model: models.SettingChange, filter, sort: ['at', '_id'], direction: -1 },
    query,
  );
  const nameOf = await namesOf(
    models,
    rows.map((row) => row.by),
  );
  return {
    data: rows.map((row) => ({
      id: String(row._id),
      name: row.name,
      from: row.from ?? null,
      to: row.to ?? null,
      by: nameOf(row.by),
      at: row.at.toISOString(),
    })),
    pagination,
  };
}

/**
 * Lists the history of a setting, also of a deleted one. A setting that exists without a history gives an empty list.
 */
export async function listSettingHistory({
  gateway,
  params,
  query,
}: Context<typeof settingCalls.listSettingHistory>): Promise<Answer<SettingChange[]>> {
  const setting = oid(params.id);
  const answer = await historyOf(gateway, { setting }, query);
  if (answer.pagination?.totalItems === 0 && !(await gateway.models.Setting.exists({ _id: setting }))) {
    throw new AppError('NOT_FOUND');
  }
  return answer;
}

/** Lists the history of a known setting by its name. It continues when a return to the default deletes the record. */
export const listKnownSettingHistory = ({
  gateway,
  params,
  query,
}: Context<typeof settingCalls.listKnownSettingHistory>): Promise<Answer<SettingChange[]>> =>
  historyOf(gateway, { name: params.name }, query);
