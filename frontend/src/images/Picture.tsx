import { chakra, Flex, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { FilePdfIcon, ImageIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useObjectUrl } from '../lib/useObjectUrl';
import { isBeingDrawn } from '../ui/ImageWell';
import { isPicture } from './ImageCard';
import { imageContent } from './images';
import { titleOf } from './subject';

/** Shows the preview at once, and the original over it when it is loaded. */
export function Picture({ image, open }: { image: Image; open: boolean }) {
  const { t } = useTranslation();
  const [broken, setBroken] = useState(false);
  const original = useQuery({
    ...imageContent(image.id),
    enabled: open && isPicture(image) && image.download !== false,
  });
  const url = useObjectUrl(original.data, image.contentType);
  const shown = (!broken && url) || image.image_url;
  const alt = t('images.view.picture', { caption: titleOf(image, t('common.untitled')) });
  const Icon = image.contentType === 'application/pdf' ? FilePdfIcon : ImageIcon;
  return (
    <Flex
      position="relative"
      bg="film.bg"
      align="center"
      justify="center"
      minH={{ base: '44dvh', lg: 'min(74dvh, 720px)' }}
      // On a wide screen the film is as high as the panel beside it.
      maxH={{ base: '56dvh', lg: 'none' }}
      aria-busy={original.isFetching || isBeingDrawn(image)}
    >
      {shown ? (
        <chakra.img
          src={shown}
          alt={alt}
          draggable={false}
          onError={() => setBroken(true)}
          position="absolute"
          inset="0"
          boxSize="full"
          objectFit="contain"
        />
      ) : (
        <Flex direction="column" align="center" gap="3" p="8" color="film.muted" textAlign="center">
          <Icon size={44} weight="duotone" aria-hidden />
          <Text maxW="36ch" fontSize="sm">
            {t(isBeingDrawn(image) ? 'app.well.making' : 'images.view.noPicture')}
          </Text>
        </Flex>
      )}
      {image.contentType !== 'application/pdf' && (
        // Opaque, so that it can be read over bright pictures.
        <Text
          position="absolute"
          bottom="10px"
          insetInlineEnd="12px"
          px="2"
          borderRadius="full"
          bg="film.bg"
          fontSize="12px"
          color="film.text"
        >
          {t('images.view.notForDiagnosis')}
        </Text>
      )}
    </Flex>
  );
}
