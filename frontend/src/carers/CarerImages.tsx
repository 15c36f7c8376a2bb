import { ImagesIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ImageSection } from '../images/ImageSection';
import { type DialogParts, useImageDialogs } from '../images/useImageDialogs';
import { usePage } from '../images/useImageList';
import { useImagePaging } from '../images/useImagePaging';
import { EmptyState } from '../ui/EmptyState';
import { carerImages, carerList } from './carers';

interface Props extends DialogParts {
  /** The record of the carer. */
  id: string;
  name: string;
  preloadViewer: () => void;
}

/** The images that a patient has opened, for their carer. */
export function CarerImages({ id, name, preloadViewer, ...parts }: Props) {
  const { t } = useTranslation();
  const paging = useImagePaging('images');
  const list = usePage(paging, useQuery(carerImages(id, paging.query)));
  useEffect(() => preloadViewer(), [preloadViewer]);
  const { askFor, dialogs } = useImageDialogs(parts, list.images);
  return (
    <>
      <ImageSection
        title={t('carers.imagesOf', { name })}
        list={list}
        empty={<EmptyState Icon={ImagesIcon} title={t('carers.noImages')} text={t('carers.noImagesText')} />}
        onAsk={askFor}
        onNear={preloadViewer}
      />
      {dialogs}
    </>
  );
}

/** Returns the patients whom the viewer helps now. */
export function useHelped(enabled: boolean) {
  const { data } = useQuery({ ...carerList, enabled });
  return (data?.others ?? []).flatMap(({ id, state, person }) =>
    state === 'accepted' && person ? [{ id, person }] : [],
  );
}
