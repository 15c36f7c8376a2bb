import type { BodyInput } from '@lightbox/contract/call.js';
import { webhookCalls } from '@lightbox/contract/webhooks/calls.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../lib/http';
import { reread } from '../lib/live';

export type Fields = BodyInput<typeof webhookCalls.createWebhook>;

const key = ['webhooks'] as const;
/** A delivery that waits changes by itself while its list is open. */
const REREAD_MS = 5_000;

/** The webhooks of the person, or of the installation. */
export const webhookList = (whole: boolean) =>
  queryOptions({
    queryKey: [...key, whole ? 'installation' : 'own'],
    queryFn: ({ signal }) =>
      whole
        ? send(webhookCalls.listInstallationWebhooks, {}, { signal })
        : send(webhookCalls.listWebhooks, {}, { signal }),
  });

export const deliveryList = (id: string, query: { page: number; limit: number; cursor: string | undefined }) =>
  queryOptions({
    queryKey: [...key, 'deliveries', id, query],
    queryFn: ({ signal }) => send(webhookCalls.listWebhookDeliveries, { params: { id }, query }, { signal }),
    refetchInterval: REREAD_MS,
  });

/** A mutation of webhooks. After it, they are read again with their deliveries. */
function useChange<Input, Data>(mutationFn: (input: Input) => Promise<Data>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => reread(cache, key),
    // A secret leaves the memory with the dialog that shows it.
    gcTime: 0,
  });
}

/** Makes a webhook. The answer has its secret. */
export const useCreate = (whole: boolean) =>
  useChange((body: Fields) =>
    whole ? send(webhookCalls.createInstallationWebhook, { body }) : send(webhookCalls.createWebhook, { body }),
  );

export const useEdit = (id: string) =>
  useChange((body: Fields) => send(webhookCalls.changeWebhook, { params: { id }, body }));

export const useSwitch = (id: string) =>
  useChange((on: boolean) => send(webhookCalls.switchWebhook, { params: { id }, body: { on } }));

export const useRotate = (id: string) =>
  useChange(() => send(webhookCalls.rotateWebhookSecret, { params: { id }, body: {} }));

export const useRemove = (id: string) => useChange(() => send(webhookCalls.deleteWebhook, { params: { id } }));

export const useTest = (id: string) => useChange(() => send(webhookCalls.testWebhook, { params: { id }, body: {} }));

export const useReplay = () =>
  useChange((id: string) => send(webhookCalls.replayWebhookDelivery, { params: { id }, body: {} }));
