import type { BodyInput } from '@lightbox/contract/call.js';
import type { Pagination } from '@lightbox/contract/envelope.js';
import { type SettingChange, settingCalls } from '@lightbox/contract/settings/calls.js';
import {
  isKnownSetting,
  type KnownSetting,
  knownSettings,
  settingFault,
  type TextForm,
} from '@lightbox/contract/settings/known.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { said } from '../i18n';
import { errorText } from '../lib/errors';
import { formatBytes } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { reread } from '../lib/live';
import { toast } from '../lib/toaster';
import { uuid } from '../lib/uuid';

/** Only the first read counts as activity of the user. A refetch after an event does not extend the session. */
export const settingList = queryOptions({
  queryKey: ['settings', 'list'],
  queryFn: ({ client, queryKey, signal }) =>
    send(settingCalls.listSettings, {}, { signal, background: client.getQueryData(queryKey) !== undefined }),
});

/** The settings that the product knows, each with its current value and its last change. */
export const knownSettingList = queryOptions({
  queryKey: ['settings', 'known'],
  queryFn: async ({ client, queryKey, signal }) => {
    const background = client.getQueryData(queryKey) !== undefined;
    return (await send(settingCalls.listKnownSettings, {}, { signal, background })).data;
  },
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
  fallback: string;
  /** The allowed values, in words. */
  range: string;
  /** The kind of value, which names the words about it. */
  about: 'number' | 'choice' | TextForm;
  /** The fixed options of a choice. */
  options?: readonly string[];
}

/** Returns the facts about a known setting; undefined for a name that the clinic has chosen itself. */
export function knownOf(name: string): Known | undefined {
  if (!isKnownSetting(name)) return undefined;
  const known = knownSettings[name];
  if (known.kind === 'choice') {
    const { fallback, options } = known;
    return { name, about: 'choice', fallback, range: options.join(' / '), options };
  }
  if (known.kind === 'text') return { name, about: known.form, fallback: known.fallback, range: `${known.maxLength}` };
  const fallback = readable(name, String(known.fallback));
  return { name, about: 'number', fallback, range: `${known.min}–${known.max}` };
}

/** Returns the value as typed, without separators. A number of bytes also gets a readable size. */
export const readable = (name: string, value: string): string =>
  name === 'upload.maxBytes' && /^\d+$/.test(value.trim()) ? `${value} (${formatBytes(Number(value))})` : value;

export const knownNames = Object.keys(knownSettings) as KnownSetting[];

export type Faults = Partial<Record<'name' | 'value' | 'description', string>>;

/** Returns a function that finds the fault in the value of a known setting, without a request. */
export function useFault() {
  const { t } = useTranslation();
  return (name: string, value: string): Faults => {
    const known = knownOf(name);
    if (!known || !settingFault(known.name, value)) return {};
    return { value: t(`settings.must.${known.about}`, { range: known.range }) };
  };
}

/**
 * Returns a function that handles a refusal: faults of a field go to the field, others into a toast. An unreachable server
 * has the specification's words.
 */
export function useRefusal() {
  const { t } = useTranslation();
  const fault = useFault();
  return (error: unknown, { name = '', value = '' } = {}): Faults => {
    if (error instanceof ApiError) {
      if (error.code === 'CONFLICT') return { name: error.message };
      const placed = error.errors.filter(({ field }) => ['name', 'value', 'description'].includes(field));
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

function useChange<Variables, Data>(call: (variables: Variables) => Promise<Data>, { onDone, onError }: Outcome) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: call,
    meta: { silent: true },
    onError,
    onSuccess: async () => {
      void reread(cache, ['settings']);
      await reread(cache, settingList.queryKey);
      onDone();
    },
  });
}

export const useAddSetting = (outcome: Outcome) =>
  useChange(
    (body: BodyInput<typeof settingCalls.addSetting>) =>
      send(settingCalls.addSetting, { body }, { idempotencyKey: uuid() }),
    outcome,
  );
export const useEditSetting = (id: string, outcome: Outcome) =>
  useChange(
    (body: { value: string; description: string }) => send(settingCalls.editSetting, { params: { id }, body }),
    outcome,
  );
export const useDeleteSetting = (outcome: Outcome) =>
  useChange((id: string) => send(settingCalls.deleteSetting, { body: { id } }), outcome);

export const useKnownText = () => {
  const { t } = useTranslation();
  return (name: string) => {
    const known = knownOf(name);
    return known && t(`settings.known.${known.name.replace('.', '_') as 'sharing_expiryHours'}`);
  };
};
