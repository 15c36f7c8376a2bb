import { Box, Button, Dialog, Flex, Text } from '@chakra-ui/react';
import type { ContentType } from '@lightbox/contract/images/names.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { ClockCounterClockwiseIcon, DownloadSimpleIcon, StackIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { formatBytes, formatDate, formatDateTime, fullName, ltr } from '../lib/format';
import { paths } from '../lib/paths';
import { useNow } from '../lib/useNow';
import { Countdown } from '../ui/Countdown';
import { ShareNote } from '../ui/ShareNote';
import { AskLink } from './AskLink';
import { actionsOf, startOfShare } from './access';
import type { Opening } from './dialogs';
import { useDownload } from './download';
import { FactRows } from './FactRows';
import { ImageBadges, ImageLine, isPicture } from './ImageCard';
import { GoneWell, LargeDialog } from './LargeDialog';
import { OtherViewer } from './OtherViewer';
import { Picture } from './Picture';
import { ShareAndAi } from './ShareAndAi';
import { useSubject } from './studies';
import { titleOf } from './subject';
import { OpenInViewer } from './ViewerLink';

function Facts({ image }: { image: Image }) {
  const { t } = useTranslation();
  const { dicom } = image;
  const frames = image.frames ?? dicom?.frames;
  const known = `images.type.${image.contentType as ContentType}` as const;
  return (
    <FactRows
      rows={[
        [t('images.view.patient'), image.patient && <bdi>{fullName(image.patient)}</bdi>],
        [t('images.view.owner'), image.owner && <bdi>{fullName(image.owner)}</bdi>],
        [t('images.view.sharedBy'), image.sharedBy && <bdi>{fullName(image.sharedBy)}</bdi>],
        [t('images.view.uploaded'), formatDateTime(image.createAt)],
        [t('images.view.studied'), dicom?.studyDate && formatDate(dicom.studyDate)],
        [t('images.view.type'), t(known, { defaultValue: image.contentType })],
        [t('images.view.modality'), dicom?.modality],
        [t('images.view.bodyPart'), dicom?.bodyPart],
        [t('images.view.pixels'), image.width && image.height && ltr(`${image.width} × ${image.height}`)],
        [t('images.view.frames'), frames && frames > 1 && frames],
        [t('images.view.size'), image.size !== undefined && formatBytes(image.size)],
      ]}
    />
  );
}

/** Shows one image large, with its facts and the actions that the viewer may take. */
export function ImageDialog({ open, image: asked, onClose, onExited, onAsk, finalFocus }: Opening) {
  const { t } = useTranslation();
  const viewer = useViewer();
  // Use the cached image: when a share ends, the open dialog must remove the picture.
  const { image = asked, error } = useSubject(open ? asked : undefined);
  const now = useNow(15_000, open);
  const saving = useDownload(image);
  if (!image) return null;
  const can = actionsOf(viewer, image, now);
  const gone = !can.open || Boolean(error);
  return (
    <LargeDialog
      open={open}
      onClose={onClose}
      onExited={onExited}
      finalFocus={finalFocus}
      picture={
        gone ? (
          <GoneWell image={image} title={t('images.view.gone')} />
        ) : (
          <Picture key={image.id} image={image} open={open} />
        )
      }
    >
      <Box pe="9">
        <Dialog.Title dir="auto">{titleOf(image, t('common.untitled'))}</Dialog.Title>
        <Text fontSize="sm" color="fg.muted" mt="1">
          <ImageLine image={image} />
        </Text>
      </Box>
      <Flex gap="1.5" wrap="wrap">
        <ImageBadges image={image} />
      </Flex>
      {image.expiresAt && <Countdown expiresAt={image.expiresAt} startedAt={startOfShare(image)} />}
      {!gone && <ShareNote note={image.note} />}
      {!gone && <Facts image={image} />}
      {!gone && (
        <Flex direction="column" gap="2.5" mt="auto" pt="2">
          {can.download ? (
            <Button onClick={() => saving.mutate()} loading={saving.isPending} loadingText={t('images.view.download')}>
              <DownloadSimpleIcon />
              {t('images.view.download')}
            </Button>
          ) : (
            <Text fontSize="sm" color="fg.muted">
              {t('images.view.noDownload')}
            </Text>
          )}
          <OpenInViewer image={image} />
          <OtherViewer key={image.id} image={image} can={can} />
          <ShareAndAi image={image} can={can} onAsk={onAsk} analysedId={image.id} />
          <AskLink image={image} need="answer" variant="ghost" />
          {image.studyId && !image.study && (
            <Button asChild variant="ghost">
              <Link to={paths.study(image.studyId)}>
                <StackIcon />
                {t('studies.whole')}
              </Link>
            </Button>
          )}
          {can.timeline && (
            <Button variant="ghost" onClick={() => onAsk('timeline', image)}>
              <ClockCounterClockwiseIcon />
              {t('images.timeline.act')}
            </Button>
          )}
          <Text fontSize="xs" color="fg.muted">
            {image.image_url && !isPicture(image) && can.download
              ? t('images.view.previewOnly')
              : t('sharing.share.recorded')}
          </Text>
        </Flex>
      )}
    </LargeDialog>
  );
}
