import type { BodyInput } from '@lightbox/contract/call.js';
import { receiverCalls } from '@lightbox/contract/receiver/calls.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../lib/http';
import { reread } from '../lib/live';

export type Fields = BodyInput<typeof receiverCalls.createDicomNode>;

const key = ['dicomNodes'] as const;

export const nodeList = () =>
  queryOptions({ queryKey: key, queryFn: ({ signal }) => send(receiverCalls.listDicomNodes, {}, { signal }) });

/** A mutation of devices. After it, they are read again. */
function useChange<Input, Data>(mutationFn: (input: Input) => Promise<Data>) {
  const cache = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => reread(cache, key) });
}

/** Makes a device, or changes the one with this id. */
export const useSave = (id: string | undefined) =>
  useChange(
    async (body: Fields): Promise<unknown> =>
      id
        ? send(receiverCalls.changeDicomNode, { params: { id }, body })
        : send(receiverCalls.createDicomNode, { body }),
  );

export const useRemove = () => useChange((id: string) => send(receiverCalls.deleteDicomNode, { params: { id } }));
