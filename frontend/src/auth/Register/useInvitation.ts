import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { send } from '../../lib/http';
import { paths } from '../../lib/paths';
import { authCalls } from '../calls';
import type { Values } from './form';

const invitation = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: async ({ signal }) =>
      (await send(authCalls.readInvitation, { body: { token } }, { token: 'none', signal })).data,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Takes the token of an invitation from the address into the form, and removes it from the address, so that it is in no
 * history and no screenshot. Fills in the address that was invited.
 */
export function useInvitation({ watch, setValue }: UseFormReturn<Values>) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const given = search.get('invite');
  useEffect(() => {
    if (!given) return;
    setValue('invite', given);
    navigate(paths.register, { replace: true });
  }, [given, setValue, navigate]);
  const token = given ?? watch('invite');
  const { data, error, isLoading, refetch } = useQuery({ ...invitation(token), enabled: token !== '' });
  useEffect(() => {
    if (data && !data.hasAccount) setValue('email', data.email);
  }, [data, setValue]);
  return { token, invited: data, error, isLoading, again: () => void refetch() };
}
