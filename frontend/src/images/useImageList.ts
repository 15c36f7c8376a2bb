import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useViewer } from '../auth/session';
import type { ImagePage, ListName } from './cache';
import { imageList, imagesOfPatient } from './images';
import { useImagePaging } from './useImagePaging';

/** Reads one page of one of the two lists, narrowed by a search. */
export function useImageList(name: ListName, search: ImageSearch, enabled = true) {
  const { role } = useViewer();
  const may = (permission: Permission) => roleMay(role, permission);
  const paging = useImagePaging(name);
  return usePage(paging, useQuery({ ...imageList(name, paging.query, may, search), enabled }));
}

/** Reads one page of the images of a patient that the viewer may see. */
export function usePatientImages(patientId: string) {
  const paging = useImagePaging('images');
  return usePage(paging, useQuery(imagesOfPatient(patientId, paging.query)));
}

/** When the last page has become empty, the page before is shown. */
export function usePage(paging: ReturnType<typeof useImagePaging>, query: UseQueryResult<ImagePage>) {
  const { data, isPlaceholderData } = query;
  const beyond = !isPlaceholderData && data?.data.length === 0 && paging.page > 1;
  const last = Math.max(1, Math.min(paging.page - 1, data?.pagination?.totalPages ?? 1));
  const { goTo } = paging;
  useEffect(() => {
    if (beyond) goTo(last, { replace: true });
  }, [beyond, last, goTo]);
  return { paging, query, images: data?.data, pagination: data?.pagination };
}

export type ImageList = ReturnType<typeof useImageList>;
