import type { BodyInput } from '@lightbox/contract/call.js';
import type { Pagination } from '@lightbox/contract/envelope.js';
import { type Setting, type SettingChange, settingCalls } from '@lightbox/contract/settings/calls.js';
import {
  isKnownSetting,
  type KnownSetting,
  knownSettings,
  type SettingUnit,
  settingFault,
  settingNames,
  type TextForm,
} from '@lightbox/contract/settings/known.js';
import { type SettingGroup, shownSettings } from '@lightbox/contract/settings/shown.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { said } from '../i18n';
import { errorText } from '../lib/errors';
import { formatMeasure, formatNumber, ltr } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { reread } from '../lib/live';
import { keyOf } from '../lib/names';
import { toast } from '../lib/toaster';
import { useAttempt } from '../lib/useAttempt';
import { amountOf } from './units';

export const settingList = queryOptions({
  queryKey: ['settings', 'list'],
  queryFn: ({ signal }) => send(settingCalls.listSettings, {}, { signal }),
});

/** The settings that the product knows, each with its current value and its last change. */
export const knownSettingList = queryOptions({
  queryKey: ['settings', 'known'],
  queryFn: async ({ signal }) => (await send(settingCalls.listKnownSettings, {}, { signal })).data,
});

type Page = { page: number; limit: number; cursor: string | undefined };

/** The history of a setting: of a known one by name, because a reset deletes its record; of a note by id. */
export const settingHistory = (of: { name: string; id?: string | undefined }, query: Page) =>
  queryOptions({
    queryKey: ['settings', 'history', of.name, of.id, query],
    queryFn: async ({ signal }): Promise<{ data: SettingChange[]; pagination?: Pagination | undefined }> => {
      const { name, id } = of;
      if (isKnownSetting(name)) {
        return send(settingCalls.listKnownSettingHistory, { params: { name }, query }, { signal });
      }
      return id ? send(settingCalls.listSettingHistory, { params: { id }, query }, { signal }) : { data: [] };
    },
  });

export interface Known {
  name: KnownSetting;
  /** The default, as the server has it. */
  fallback: string;
  /** The kind of value, which names the words about it. */
  about: 'number' | 'choice' | TextForm;
  /** The fixed options of a choice. */
  options?: readonly string[];
  /** The unit of a number, with its limits. */
  number?: { unit: SettingUnit; min: number; max: number; orZero: boolean };
  maxLength?: number;
}

/** Returns the facts about a known setting; undefined for a name that the clinic has chosen itself. */
export function knownOf(name: string): Known | undefined {
  if (!isKnownSetting(name)) return undefined;
  const known = knownSettings[name];
  const rest = { name, fallback: String(known.fallback) };
  if (known.kind === 'choice') return { ...rest, about: 'choice', options: known.options };
  if (known.kind === 'text') return { ...rest, about: known.form, maxLength: known.maxLength };
  const { unit, min, max } = known;
  return { ...rest, about: 'number', number: { unit, min, max, orZero: 'orZero' in known } };
}

/** True for a setting that is on or off, and is shown as a switch. */
export const isSwitch = ({ options }: Known): boolean => options?.join() === 'no,yes';

export const knownIn = (group: SettingGroup): KnownSetting[] =>
  settingNames.filter((name) => shownSettings[name].group === group);

/** Returns functions that put settings into words: name, explanation, value, and the allowed values. */
export function useWords() {
  const { t } = useTranslation();
  const amount = (unit: SettingUnit, value: string | number) => {
    const { text, unit: name } = amountOf(unit, value);
    const count = Number(text);
    return unit === 'bytes'
      ? ltr(`${formatMeasure(count, 2)} ${name}`)
      : t(`settings.amount.${name as 'hours'}`, { count, number: formatNumber(count) });
  };
  /** The name of a known setting, or the name that the clinic has chosen itself. */
  const nameOf = (name: string): string => (isKnownSetting(name) ? t(`settings.names.${keyOf(name)}`) : name);
  const optionOf = (name: KnownSetting, option: string): string =>
    option === 'no' || option === 'yes'
      ? t(`settings.${option}`)
      : t(`settings.options.${keyOf(name) as 'directory_patients'}.${option as 'all'}`);
  return {
    nameOf,
    optionOf,
    amount,
    textOf: (name: KnownSetting): string => t(`settings.known.${keyOf(name)}`),
    shown: (name: string, value: string): string => {
      const known = knownOf(name);
      if (!known) return value;
      if (known.number?.orZero && value.trim() === '0') return t('settings.forever');
      if (known.number && /^\d+$/.test(value.trim())) return amount(known.number.unit, value);
      if (known.options?.includes(value)) return optionOf(known.name, value);
      return value || t('settings.notSet');
    },
    range: ({ number, options, maxLength, name }: Known): string => {
      if (number)
        return t(number.orZero ? 'settings.rangeOrZero' : 'settings.range', {
          min: amount(number.unit, number.min),
          max: amount(number.unit, number.max),
        });
      return options ? options.map((option) => optionOf(name, option)).join(' / ') : String(maxLength);
    },
  };
}

export type Faults = Partial<Record<'name' | 'value' | 'description', string>>;

/** Returns a function that finds the fault in the value of a known setting, without a request. */
export function useFault() {
  const { t } = useTranslation();
  const { range } = useWords();
  return (name: string, value: string): Faults => {
    const known = knownOf(name);
    if (!known || !settingFault(known.name, value)) return {};
    return { value: t(`settings.must.${known.about}`, { range: range(known) }) };
  };
}

/**
 * Returns a function that handles a refusal: faults of the fields that the row shows go to the field, others into a toast.
 * An unreachable server has the specification's words.
 */
export function useRefusal() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const fault = useFault();
  return (error: unknown, shown: (keyof Faults)[] = [], { name = '', value = '' } = {}): Faults => {
    if (error instanceof ApiError) {
      if (error.code === 'CONFLICT') {
        if (shown.includes('name')) return { name: t('settings.nameTaken') };
        // Somebody else has added the record of the setting meanwhile.
        void reread(cache, ['settings']);
        toast.error(t('settings.changedMeanwhile'));
        return {};
      }
      const placed = error.errors.filter(({ field }) => shown.some((one) => one === field));
      // The fault of a known setting is worded here, in the language of the viewer.
      if (placed.length)
        return {
          ...Object.fromEntries(placed.map(({ field, message }) => [field, said(message)])),
          ...fault(name, value),
        };
      if (error.status === 0) {
        toast.error(t('settings.unreachable'));
        return {};
      }
    }
    toast.error(errorText(error, t('settings.failed')));
    return {};
  };
}

/** Passed to the hook and not to `mutate`, so that they are called even if the row was redrawn in the other layout. */
interface Outcome {
  onDone: () => void;
  onError: (error: unknown) => void;
}

/** Sends a change. `keyOf` gives the idempotency key of one that adds something. */
function useChange<Variables, Data>(
  call: (variables: Variables, keyOf: (wish: object) => string) => Promise<Data>,
  { onDone, onError }: Outcome,
) {
  const cache = useQueryClient();
  const attempt = useAttempt();
  return useMutation({
    mutationFn: (variables: Variables) => call(variables, attempt.keyOf),
    meta: { silent: 'always' },
    onError: (error) => {
      attempt.refused(error);
      onError(error);
    },
    onSuccess: async () => {
      attempt.forget();
      void reread(cache, ['settings']);
      await reread(cache, settingList.queryKey);
      onDone();
    },
  });
}

export const useAddSetting = (outcome: Outcome) =>
  useChange(
    (body: BodyInput<typeof settingCalls.addSetting>, keyOf) =>
      send(settingCalls.addSetting, { body }, { idempotencyKey: keyOf(body) }),
    outcome,
  );
export const useEditSetting = (id: string, outcome: Outcome) =>
  useChange(
    (body: { value: string; description: string }) => send(settingCalls.editSetting, { params: { id }, body }),
    outcome,
  );
/** Sets a known setting: changes its record, or adds one while the default is in effect. */
export const useSetKnown = (name: KnownSetting, setting: Setting | undefined, outcome: Outcome) =>
  useChange<string, unknown>((value, keyOf) => {
    if (setting) return send(settingCalls.editSetting, { params: { id: setting.id }, body: { value } });
    const body = { name, value };
    return send(settingCalls.addSetting, { body }, { idempotencyKey: keyOf(body) });
  }, outcome);
export const useDeleteSetting = (outcome: Outcome) =>
  useChange((id: string) => send(settingCalls.deleteSetting, { body: { id } }), outcome);
