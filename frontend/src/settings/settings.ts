import type { BodyInput } from '@lightbox/contract/call.js';
import type { Pagination } from '@lightbox/contract/envelope.js';
import { type SettingChange, settingCalls } from '@lightbox/contract/settings/calls.js';
import { isKnownSetting, type KnownSetting, knownSettings, settingFault } from '@lightbox/contract/settings/known.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { said } from '../i18n';
import { errorText } from '../lib/errors';
import { formatBytes } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { reread } from '../lib/live';
import { toast } from '../lib/toaster';
import { uuid } from '../lib/uuid';

/** The first look is a person's; one that an event asks for does not keep their session alive. */
export const settingList = queryOptions({
  queryKey: ['settings', 'list'],
  queryFn: ({ client, queryKey, signal }) =>
    send(settingCalls.listSettings, {}, { signal, background: client.getQueryData(queryKey) !== undefined }),
});

/** What the product knows of itself: what holds now, and who changed it last. */
export const knownSettingList = queryOptions({
  queryKey: ['settings', 'known'],
  queryFn: async ({ client, queryKey, signal }) => {
    const background = client.getQueryData(queryKey) !== undefined;
    return (await send(settingCalls.listKnownSettings, {}, { signal, background })).data;
  },
});

type Page = { page: number; limit: number; cursor: string | undefined };

/** A known setting's history goes by its name, through every return to the default; a note's by its id. */
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
  /** What it may be, as people read it. */
  range: string;
  /** What there is to choose from; absent for a number. */
  options?: readonly string[];
}

/** What the product makes of a setting with this name; nothing, for names of the clinic's own. */
export function knownOf(name: string): Known | undefined {
  if (!isKnownSetting(name)) return undefined;
  const known = knownSettings[name];
  if (known.kind === 'choice') {
    return { name, fallback: known.fallback, range: known.options.join(' / '), options: known.options };
  }
  return { name, fallback: readable(name, String(known.fallback)), range: `${known.min}–${known.max}` };
}

/** As it is typed, without separators; a size is hard to read like that, so it is also said in words. */
export const readable = (name: string, value: string): string =>
  name === 'upload.maxBytes' && /^\d+$/.test(value.trim()) ? `${value} (${formatBytes(Number(value))})` : value;

export const knownNames = Object.keys(knownSettings) as KnownSetting[];

export type Faults = Partial<Record<'name' | 'value' | 'description', string>>;

/** What is wrong with a known setting's value, before anybody is asked. */
export function useFault() {
  const { t } = useTranslation();
  return (name: string, value: string): Faults => {
    const known = knownOf(name);
    if (!known || !settingFault(known.name, value)) return {};
    return { value: t(known.options ? 'settings.mustChoose' : 'settings.mustBe', { range: known.range }) };
  };
}

/** What belongs to a field, at the field; the rest as a toast, with the specification's words for a server that is away. */
export function useRefusal() {
  const { t } = useTranslation();
  const fault = useFault();
  return (error: unknown, { name = '', value = '' } = {}): Faults => {
    if (error instanceof ApiError) {
      if (error.code === 'CONFLICT') return { name: error.message };
      const placed = error.errors.filter(({ field }) => ['name', 'value', 'description'].includes(field));
      // What a known setting may be is said here, in the person's language.
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

/** With the hook and not with the call, so that they are heard when the row has been redrawn in the other layout. */
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
