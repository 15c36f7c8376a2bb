import { ImagesIcon } from '@phosphor-icons/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../ui/EmptyState';
import { ImageSection } from './ImageSection';
import { type DialogParts, useImageDialogs } from './useImageDialogs';
import { usePatientImages } from './useImageList';

interface Props extends DialogParts {
  patientId: string;
  preloadViewer: () => void;
}

/** The images of a patient that the viewer may see, with the cards of the gallery. */
export function PatientImages({ patientId, preloadViewer, ...parts }: Props) {
  const { t } = useTranslation();
  const list = usePatientImages(patientId);
  useEffect(() => preloadViewer(), [preloadViewer]);
  const { askFor, dialogs } = useImageDialogs(parts, list.images);
  return (
    <>
      <ImageSection
        title={t('images.ofPatient')}
        list={list}
        empty={<EmptyState Icon={ImagesIcon} title={t('images.noneOfPatient')} text={t('images.noneOfPatientText')} />}
        onAsk={askFor}
        onNear={preloadViewer}
      />
      {dialogs}
    </>
  );
}
