import type { ContentType } from '@lightbox/contract/images/names.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '../lib/save';
import { imageContent } from './images';

const endings: Record<ContentType, string> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'application/pdf': '.pdf',
  'application/dicom': '.dcm',
};

/** Returns a caption or a title as a file name, without characters that file systems refuse. */
export const safeName = (title: string): string =>
  title
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 100);

export function fileName(image: Pick<Image, 'caption' | 'contentType'>, fallback: string): string {
  return `${safeName(image.caption) || fallback}${endings[image.contentType as ContentType] ?? ''}`;
}

/** Saves the original bytes of an image on the device. */
export function useDownload(image: Image | undefined) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      if (!image) return;
      const blob = await cache.fetchQuery(imageContent(image.id));
      saveBlob(blob, fileName(image, t('common.untitled')));
    },
    meta: { fallback: t('images.view.downloadFailed') },
  });
}
