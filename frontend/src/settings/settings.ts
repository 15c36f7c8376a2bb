import type { BodyInput } from '@lightbox/contract/call.js';
import { settingCalls } from '@lightbox/contract/settings/calls.js';
import { isKnownSetting, type KnownSetting, knownSettings } from '@lightbox/contract/settings/known.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatBytes } from '../lib/format';
import { ApiError, newKey, send } from '../lib/http';
import { toast } from '../lib/toaster';

export const settingList = queryOptions({
  queryKey: ['settings', 'list'],
  queryFn: ({ signal }) => send(settingCalls.listSettings, {}, { signal }),
});

export interface Known {
  name: KnownSetting;
  fallback: string;
  /** What it may be. */
  range: string;
  inputMode: 'numeric' | 'text';
}

/** What the product makes of a setting with this name; nothing, for names of the clinic's own. */
export function knownOf(name: string): Known | undefined {
  if (!isKnownSetting(name)) return undefined;
  const known = knownSettings[name];
  if (known.kind === 'choice') {
    return { name, fallback: known.fallback, range: known.options.join(', '), inputMode: 'text' };
  }
  const { fallback, min, max } = known;
  // As it is typed, without separators; a size is hard to read like that, so it is also said in words.
  const size = name === 'upload.maxBytes' ? ` (${formatBytes(fallback)})` : '';
  return { name, fallback: `${fallback}${size}`, range: `${min}–${max}`, inputMode: 'numeric' };
}
export const knownNames = Object.keys(knownSettings) as KnownSetting[];

export type Faults = Partial<Record<'name' | 'value' | 'description', string>>;

/** What belongs to a field, at the field; the rest as a toast, with the specification's words for a server that is away. */
export function useRefusal() {
  const { t } = useTranslation();
  return (error: unknown): Faults => {
    if (error instanceof ApiError) {
      if (error.code === 'CONFLICT') return { name: error.message };
      const placed = error.errors.filter(({ field }) => ['name', 'value', 'description'].includes(field));
      if (placed.length) return Object.fromEntries(placed.map(({ field, message }) => [field, message]));
      if (error.status === 0) {
        toast.error(t('settings.unreachable'));
        return {};
      }
    }
    toast.error(errorText(error, t('settings.failed')));
    return {};
  };
}

function useChange<Variables, Data>(call: (variables: Variables) => Promise<Data>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: call,
    meta: { silent: true },
    onSuccess: () => cache.invalidateQueries({ queryKey: settingList.queryKey }),
  });
}

export const useAddSetting = () =>
  useChange((body: BodyInput<typeof settingCalls.addSetting>) =>
    send(settingCalls.addSetting, { body }, { idempotencyKey: newKey() }),
  );
export const useEditSetting = (id: string) =>
  useChange((body: { value: string; description: string }) => send(settingCalls.editSetting, { params: { id }, body }));
export const useDeleteSetting = () => useChange((id: string) => send(settingCalls.deleteSetting, { body: { id } }));
