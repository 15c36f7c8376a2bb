import { Button } from '@chakra-ui/react';
import { CameraIcon, FolderOpenIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { useMedia } from '../lib/useMedia';
import { chooseFiles } from './sources';

/** The further ways to files: a folder, and the camera of a phone. */
export function MoreWays({ onFiles }: { onFiles: (files: File[]) => void }) {
  const { t } = useTranslation();
  const touch = useMedia('(pointer: coarse)');
  return (
    <>
      <Button variant="outline" onClick={() => chooseFiles({ folder: true }, onFiles)}>
        <FolderOpenIcon />
        {t('uploads.choose.folder')}
      </Button>
      {touch && (
        <Button variant="outline" onClick={() => chooseFiles({ camera: true }, onFiles)}>
          <CameraIcon />
          {t('uploads.choose.camera')}
        </Button>
      )}
    </>
  );
}
