import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import { otherViewerCalls } from '@lightbox/contract/dicomWeb/otherViewer.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { ArrowSquareOutIcon, CopyIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { copyText } from '../lib/copy';
import { formatDateTime, ltr } from '../lib/format';
import { send } from '../lib/http';
import { usePublicSettings } from '../lib/publicSettings';
import { toast } from '../lib/toaster';
import type { ImageActions } from './access';
import { stackOf } from './subject';

/** The box appears below the edge of a small screen. */
const intoView = (box: HTMLElement | null) => box?.scrollIntoView({ block: 'nearest' });

interface Props {
  image: Image;
  can: ImageActions;
}

/** Opens a DICOM file or study in the other viewer of the settings. There is no button while they name none. */
export function OtherViewer({ image, can }: Props) {
  const { t } = useTranslation();
  const template = usePublicSettings()['viewer.url'];
  const study = stackOf(image);
  const made = useMutation({
    mutationFn: () =>
      send(otherViewerCalls.openElsewhere, { body: study ? { studyId: study.id } : { imageId: image.id } }),
    meta: { fallback: t('studies.elsewhere.failed') },
  });
  const end = useMutation({
    mutationFn: (id: string) => send(securityCalls.revokeToken, { params: { id } }),
    onSuccess: () => {
      made.reset();
      toast.success(t('studies.elsewhere.ended'));
    },
    meta: { fallback: t('studies.elsewhere.endFailed') },
  });
  if (template === '' || !can.elsewhere || image.contentType !== 'application/dicom') return null;
  if (!made.data) {
    return (
      <Button
        variant="ghost"
        loading={made.isPending}
        loadingText={t('studies.elsewhere.act')}
        onClick={() => made.mutate()}
      >
        <ArrowSquareOutIcon mirrored={document.dir === 'rtl'} />
        {t('studies.elsewhere.act')}
      </Button>
    );
  }
  const { id, url, expiresAt } = made.data.data;
  const viewer = ltr(new URL(url).host);
  // The address is not on the screen: whoever sees it could use it.
  const copy = async () => {
    if (await copyText(url)) toast.success(t('app.copied'));
    else toast.error(t('app.copyFailed'));
  };
  return (
    <Box as="section" p="4" borderRadius="box" bg="bg.subtle" ref={intoView}>
      <Text as="h3" fontSize="sm" fontWeight="semibold" overflowWrap="anywhere">
        {t('studies.elsewhere.title', { viewer })}
      </Text>
      <Text fontSize="xs" color="fg.muted" mt="0.5" mb="2">
        {t('studies.elsewhere.text', { time: formatDateTime(expiresAt) })}
      </Text>
      <Flex gap="2" mt="3" wrap="wrap">
        <Button
          asChild
          size="sm"
          flex="1 0 100%"
          h="auto"
          minH="9"
          py="1.5"
          whiteSpace="normal"
          overflowWrap="anywhere"
        >
          <a href={url} target="_blank" rel="noreferrer">
            <ArrowSquareOutIcon mirrored={document.dir === 'rtl'} />
            {t('studies.elsewhere.open', { viewer })}
          </a>
        </Button>
        <Button size="sm" variant="surface" onClick={() => void copy()}>
          <CopyIcon />
          {t('studies.elsewhere.copy')}
        </Button>
        <Button
          size="sm"
          variant="surface"
          colorPalette="danger"
          loading={end.isPending}
          loadingText={t('studies.elsewhere.end')}
          onClick={() => end.mutate(id)}
        >
          {t('studies.elsewhere.end')}
        </Button>
      </Flex>
    </Box>
  );
}
