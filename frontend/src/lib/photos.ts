import { userCalls } from '@lightbox/contract/users/calls.js';
import { useQuery } from '@tanstack/react-query';
import { download } from './http';
import { useObjectUrl } from './useObjectUrl';

/** Returns an address of the photo of a person; undefined until it is there, and when the viewer may not see the person. */
export function usePhoto(id: string, photo: string): string | undefined {
  const { data } = useQuery({
    // Another photo has another id, so an answer is never out of date.
    queryKey: ['photos', id, photo],
    queryFn: ({ signal }) => download(userCalls.getPhoto, { params: { id } }, { signal, background: true }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { silent: true },
  });
  return useObjectUrl(data);
}
