import type { Image } from '@lightbox/contract/images/schemas.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { safeName } from '../images/download';
import { titleOf } from '../images/subject';
import { download } from '../lib/http';
import { saveBlob } from '../lib/save';

/** Saves the original files of a study on the device, as one zip. */
export function useStudyDownload(image: Image) {
  const { t } = useTranslation();
  const { study } = image;
  return useMutation({
    mutationFn: async () => {
      if (!study) return;
      const blob = await download(studyCalls.getStudyContent, { params: { id: study.id } });
      saveBlob(blob, `${safeName(titleOf(image, '')) || t('common.untitled')}.zip`);
    },
    meta: { fallback: t('studies.downloadFailed') },
  });
}
