import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useViewer } from '../auth/session';
import type { ListName } from './cache';
import { imageList } from './images';
import { useImagePaging } from './useImagePaging';

/** Reads one page of one of the two lists. */
export function useImageList(name: ListName, enabled = true) {
  const { role } = useViewer();
  const may = (permission: Permission) => roleMay(role, permission);
  const paging = useImagePaging(name);
  const query = useQuery({ ...imageList(name, paging.query, may), enabled });
  const { data, isPlaceholderData } = query;
  // The last page has become empty: go to the page before.
  const beyond = !isPlaceholderData && data?.data.length === 0 && paging.page > 1;
  const last = Math.max(1, Math.min(paging.page - 1, data?.pagination?.totalPages ?? 1));
  const { goTo } = paging;
  useEffect(() => {
    if (beyond) goTo(last, { replace: true });
  }, [beyond, last, goTo]);
  return { name, paging, query, images: data?.data, pagination: data?.pagination };
}

export type ImageList = ReturnType<typeof useImageList>;
