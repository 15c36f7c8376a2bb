import { Box, Button, chakra, Dialog, Flex, Grid, IconButton, Text } from '@chakra-ui/react';
import type { ContentType, Image } from '@lightbox/contract/images/schemas.js';
import {
  ClockCounterClockwiseIcon,
  DownloadSimpleIcon,
  FilePdfIcon,
  ImageIcon,
  ShareNetworkIcon,
  SparkleIcon,
  XIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { formatBytes, formatDate, formatDateTime, fullName, ltr } from '../lib/format';
import { paths } from '../lib/paths';
import { useNow } from '../lib/useNow';
import { useObjectUrl } from '../lib/useObjectUrl';
import { Countdown } from '../ui/Countdown';
import { EndedWell } from '../ui/ImageWell';
import { Modal } from '../ui/Modal';
import { Said } from '../ui/Said';
import { actionsOf, hasEnded } from './access';
import { useDownload } from './download';
import { type Ask, ImageBadges, ImageLine, isPicture } from './ImageCard';
import { imageContent, useImage } from './images';

/** Shows the preview at once, and the original over it when it is loaded. */
function Picture({ image, open }: { image: Image; open: boolean }) {
  const { t } = useTranslation();
  const [broken, setBroken] = useState(false);
  const original = useQuery({ ...imageContent(image.id), enabled: open && isPicture(image) });
  const url = useObjectUrl(original.data, image.contentType);
  const shown = (!broken && url) || image.image_url;
  const alt = t('images.view.picture', { caption: image.caption || t('common.untitled') });
  const Icon = image.contentType === 'application/pdf' ? FilePdfIcon : ImageIcon;
  return (
    <Flex
      position="relative"
      bg="film.bg"
      align="center"
      justify="center"
      minH={{ base: '44dvh', lg: 'min(74dvh, 720px)' }}
      maxH={{ base: '56dvh', lg: 'min(74dvh, 720px)' }}
      aria-busy={original.isFetching}
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
            {t('images.view.noPicture')}
          </Text>
        </Flex>
      )}
      <Text
        position="absolute"
        bottom="10px"
        insetInlineEnd="12px"
        fontSize="12px"
        color="film.text"
        textShadow="0 0 4px #000, 0 0 2px #000"
      >
        {t('images.view.notForDiagnosis')}
      </Text>
    </Flex>
  );
}

function Facts({ image }: { image: Image }) {
  const { t } = useTranslation();
  const { dicom } = image;
  const known = `images.type.${image.contentType as ContentType}` as const;
  const rows: [string, React.ReactNode][] = [
    [t('images.view.patient'), image.patient && <bdi>{fullName(image.patient)}</bdi>],
    [t('images.view.owner'), image.owner && <bdi>{fullName(image.owner)}</bdi>],
    [t('images.view.sharedBy'), image.sharedBy && <bdi>{fullName(image.sharedBy)}</bdi>],
    [t('images.view.uploaded'), formatDateTime(image.createAt)],
    [t('images.view.studied'), dicom?.studyDate && formatDate(dicom.studyDate)],
    [t('images.view.type'), t(known, { defaultValue: image.contentType })],
    [t('images.view.modality'), dicom?.modality],
    [t('images.view.bodyPart'), dicom?.bodyPart],
    [t('images.view.pixels'), image.width && image.height && ltr(`${image.width} × ${image.height}`)],
    [t('images.view.frames'), dicom?.frames && dicom.frames > 1 && dicom.frames],
    [t('images.view.size'), image.size !== undefined && formatBytes(image.size)],
  ];
  return (
    <Grid as="dl" templateColumns="auto 1fr" columnGap="4" rowGap="2" fontSize="sm">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <Box key={name} display="contents">
            <Text as="dt" color="fg.muted">
              {name}
            </Text>
            <Text as="dd" textAlign="end" fontVariantNumeric="tabular-nums" overflowWrap="anywhere">
              {value}
            </Text>
          </Box>
        ))}
    </Grid>
  );
}

interface Props {
  open: boolean;
  image: Image | undefined;
  onClose: () => void;
  /** Called when the closed dialog has left the screen. */
  onExited: () => void;
  onAsk: (what: Ask, image: Image) => void;
  finalFocus: () => HTMLElement | null;
}

/** Shows one image large, with its facts and the actions that the viewer may take. */
export function ImageDialog({ open, image: asked, onClose, onExited, onAsk, finalFocus }: Props) {
  const { t } = useTranslation();
  const viewer = useViewer();
  // Use the cached image: when a share ends, the open dialog must remove the picture.
  const { data, isError } = useImage(open ? asked?.id : undefined);
  const image = data ?? asked;
  const now = useNow(15_000, open);
  const saving = useDownload(image);
  if (!image) return null;
  const can = actionsOf(viewer, image, now);
  const gone = !can.open || (isError && !data);
  const ended = hasEnded(image, now);
  const giver = image.sharedBy ?? image.owner;
  return (
    <Modal
      open={open}
      onClose={onClose}
      closable={false}
      onExitComplete={onExited}
      finalFocusEl={finalFocus}
      scrollBehavior="inside"
      maxW={{ base: '100vw', md: 'min(1120px, calc(100vw - 64px))' }}
    >
      <Grid templateColumns={{ base: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 320px' }} overflowY="auto" flex="1" minH="0">
        {gone ? (
          <Box p="4">
            {ended ? (
              <EndedWell
                title={t('images.card.endedTitle')}
                help={giver && <Said i18nKey="images.card.endedText" values={{ name: fullName(giver) }} />}
              />
            ) : (
              <EndedWell title={t('images.view.gone')} help={t('images.view.goneText')} />
            )}
          </Box>
        ) : (
          <Picture key={image.id} image={image} open={open} />
        )}
        <Flex direction="column" p={{ base: '5', lg: '6' }} gap="4">
          <Box pe="9">
            <Dialog.Title dir="auto">{image.caption || t('common.untitled')}</Dialog.Title>
            <Text fontSize="sm" color="fg.muted" mt="1">
              <ImageLine image={image} />
            </Text>
          </Box>
          <Flex gap="1.5" wrap="wrap">
            <ImageBadges image={image} />
          </Flex>
          {image.expiresAt && <Countdown expiresAt={image.expiresAt} />}
          {!gone && <Facts image={image} />}
          {!gone && (
            <Flex direction="column" gap="2.5" mt="auto" pt="2">
              <Button
                onClick={() => saving.mutate()}
                loading={saving.isPending}
                loadingText={t('images.view.download')}
              >
                <DownloadSimpleIcon />
                {t('images.view.download')}
              </Button>
              {(can.share || can.ai) && (
                <Flex gap="2.5">
                  {can.share && (
                    <Button variant="subtle" flex="1" onClick={() => onAsk('share', image)}>
                      <ShareNetworkIcon />
                      {t('images.card.share')}
                    </Button>
                  )}
                  {can.ai && (
                    <Button asChild variant="outline" flex="1">
                      <Link to={paths.aiAnalysis(image.id)}>
                        <SparkleIcon />
                        {t('images.card.ai')}
                      </Link>
                    </Button>
                  )}
                </Flex>
              )}
              {can.timeline && (
                <Button variant="ghost" onClick={() => onAsk('timeline', image)}>
                  <ClockCounterClockwiseIcon />
                  {t('images.timeline.act')}
                </Button>
              )}
              <Text fontSize="xs" color="fg.muted">
                {isPicture(image) ? t('sharing.share.recorded') : t('images.view.previewOnly')}
              </Text>
            </Flex>
          )}
        </Flex>
      </Grid>
      <Dialog.CloseTrigger asChild top="3" insetEnd="3">
        <IconButton
          variant="ghost"
          size="sm"
          aria-label={t('common.close')}
          {...{ bg: { base: 'bg.panel', lg: 'transparent' } }}
        >
          <XIcon />
        </IconButton>
      </Dialog.CloseTrigger>
    </Modal>
  );
}
