import { Box, Button, chakra, Flex, Heading, IconButton, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { shareMark } from '@lightbox/contract/sharing/mark.js';
import type { StudySummary } from '@lightbox/contract/studies/schemas.js';
import { EyeIcon, KeyIcon, SealCheckIcon, ShareNetworkIcon, SparkleIcon, TrashIcon } from '@phosphor-icons/react';
import { type RefObject, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { formatBytes, formatDate, fullName, ltr } from '../lib/format';
import { paths } from '../lib/paths';
import { DAY_MS } from '../lib/times';
import { useNow } from '../lib/useNow';
import { Chip } from '../ui/Chip';
import { Countdown } from '../ui/Countdown';
import { EndedWell, ImageWell } from '../ui/ImageWell';
import { onOpening } from '../ui/onOpening';
import { Said } from '../ui/Said';
import { ShareNote } from '../ui/ShareNote';
import { StateBadge, type StateName } from '../ui/StateBadge';
import { AskLink } from './AskLink';
import { actionsOf, hasEnded, ownsImage, startOfShare } from './access';
import { GuestLinksBadge, RecipientsBadge } from './RecipientsBadge';
import { stackOf, titleOf } from './subject';
import type { Selection } from './useSelection';
import { ViewerLink } from './ViewerLink';

export const isPicture = (image: Pick<Image, 'contentType'>) => image.contentType.startsWith('image/');

/** Shows the patient, the sender, or the date of the image. */
export function ImageLine({ image }: { image: Image }) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const owned = ownsImage(viewer, image);
  const giver = image.sharedBy ?? image.owner;
  if (owned && image.patient) return <Said i18nKey="images.card.for" values={{ name: fullName(image.patient) }} />;
  if (!owned && giver) return <Said i18nKey="images.card.from" values={{ name: fullName(giver) }} />;
  return t('images.card.uploadedOn', { date: formatDate(image.createAt) });
}

/** Says what a study is: its kind and number of images, and for viewers who may open it the modalities and the size. */
export function StudyLine({ study, isVerified }: { study: StudySummary; isVerified: boolean }) {
  const { t } = useTranslation();
  const { kind, imageCount, modalities, size } = study;
  const facts = [
    kind === 'dicom' && t('studies.kind'),
    t('studies.images', { count: imageCount }),
    isVerified && modalities.length > 0 && ltr(modalities.join(', ')),
    isVerified && size > 0 && formatBytes(size),
  ];
  return facts.filter(Boolean).join(' · ');
}

/** True for a day after an image was shared with the viewer, until they have opened it. */
const isNew = (image: Image) => {
  const start = startOfShare(image);
  return !image.isVerified && start !== undefined && Date.now() - start < newMs;
};
const newMs = DAY_MS;

const sealOf = ({ emergency, carer, isVerified, isLocked }: Image): StateName =>
  emergency ? 'emergency' : carer ? 'carer' : isVerified ? 'verified' : isLocked ? 'locked' : 'notVerified';

export function ImageBadges({ image, onShares }: { image: Image; onShares?: (() => void) | undefined }) {
  const { t } = useTranslation();
  const viewer = useViewer();
  if (hasEnded(image) && !ownsImage(viewer, image)) return <StateBadge state="shareEnded" />;
  const { recipients } = image;
  const links = recipients?.guestLinks ?? 0;
  const owned = ownsImage(viewer, image);
  return (
    <>
      {/* One's own image needs no code, so it has no seal. */}
      {!owned && <StateBadge state={sealOf(image)} />}
      {onShares && recipients && recipients.total > 0 ? (
        <RecipientsBadge image={image} recipients={recipients} onOpen={onShares} />
      ) : (
        image.isShared && image.isVerified && !image.shareId && <StateBadge state="shared" />
      )}
      {links > 0 && <GuestLinksBadge image={image} count={links} {...(onShares && { onOpen: onShares })} />}
      {image.study?.unfinished && <StateBadge state="unfinished" />}
      {image.deidentified && <Chip>{t('images.card.deidentified')}</Chip>}
      {isNew(image) && <StateBadge state="new" />}
      {!image.isShared && links === 0 && owned && <Chip>{t('images.card.yours')}</Chip>}
      {!image.isVerified && image.shareId && <Chip>{t('images.card.mark', { mark: shareMark(image.shareId) })}</Chip>}
    </>
  );
}

function Well({ image, ended }: { image: Image; ended: boolean }) {
  const { t } = useTranslation();
  const giver = image.sharedBy ?? image.owner;
  if (ended) {
    const help = giver && <Said i18nKey="images.card.endedText" values={{ name: fullName(giver) }} />;
    return <EndedWell title={t('images.card.endedTitle')} help={help} />;
  }
  return <CardWell image={image} />;
}

/** Shows the picture of an image, or of the one that stands for a study, below the edges of further films. */
export function CardWell({ image }: { image: Image }) {
  const stack = stackOf(image);
  if (!stack) return <ImageWell image={image} />;
  const { title, imageCount, modalities } = stack;
  const modality = modalities.join(' ') || image.dicom?.modality;
  return (
    <>
      <Edges lit={image.isVerified} />
      <ImageWell image={{ ...image, caption: title, dicom: { ...image.dicom, modality } }} count={imageCount} />
    </>
  );
}

/** The edges of further films above the first one. */
const Edges = ({ lit }: { lit: boolean }) => (
  <Flex direction="column" align="center" gap="2px" mb="2px" aria-hidden>
    {['84%', '92%'].map((width) => (
      <Box
        key={width}
        w={width}
        h="4px"
        borderTopRadius="film"
        bg={lit ? { _light: 'film.bg', _dark: 'border.control' } : 'border'}
      />
    ))}
  </Flex>
);

// Boxes are there while images are chosen, and no part of the first load.
const Choice = onOpening(async () => (await import('./Choice')).Choice);

export type Ask = 'open' | 'verify' | 'share' | 'remove' | 'timeline' | 'rename';

interface Props {
  image: Image;
  onAsk: (what: Ask, image: Image) => void;
  /** Called when the card is pointed at or gets the focus: the viewer may be needed soon. */
  onNear?: (() => void) | undefined;
  /** Present in the gallery: images may be chosen there to be shared together. */
  selection?: Selection;
}

interface ActionsProps extends Pick<Props, 'image' | 'onAsk'> {
  can: ReturnType<typeof actionsOf>;
  ended: boolean;
  caption: string;
  /** The button that a press on the picture presses too. */
  opener: RefObject<HTMLButtonElement | null>;
}

/** A recipient comes to look. The cards of people who may share have no room for one more label. */
const comesToLook = (can: ReturnType<typeof actionsOf>) => can.open && !can.share;

/** The buttons of a card, for everything that the viewer may do. */
function CardActions({ image, onAsk, can, ended, caption, opener }: ActionsProps) {
  const { t } = useTranslation();
  const stack = stackOf(image);
  return (
    <Flex gap="1.5" mt="auto" pt="3.5" align="flex-end" wrap="wrap" _empty={{ display: 'none' }}>
      {can.verify && (
        <Button
          size="sm"
          flex="1 1 auto"
          aria-label={t('images.card.verifyThis', { caption })}
          onClick={() => onAsk('verify', image)}
        >
          <KeyIcon />
          {t('images.card.verify')}
        </Button>
      )}
      {(ended || (can.verify && image.isLocked)) && (
        <AskLink image={image} need={ended ? 'access' : 'code'} size="sm" flex="1 1 auto" />
      )}
      {comesToLook(can) && (
        <Button
          ref={opener}
          size="sm"
          variant="subtle"
          flex="1 1 auto"
          aria-label={t('images.card.open', { caption })}
          onClick={() => onAsk('open', image)}
        >
          <EyeIcon />
          {t('images.card.look')}
        </Button>
      )}
      {can.share && (
        <Button
          size="sm"
          variant="subtle"
          aria-label={t('images.card.shareThis', { caption })}
          onClick={() => onAsk('share', image)}
        >
          <ShareNetworkIcon />
          {t('images.card.share')}
        </Button>
      )}
      {can.open && <ViewerLink image={image} />}
      {can.ai && !stack && (
        <Button asChild size="sm" variant="outline">
          <Link to={paths.aiAnalysis(image.id)} aria-label={t('images.card.aiThis', { caption })}>
            <SparkleIcon />
            {t('images.card.ai')}
          </Link>
        </Button>
      )}
      {can.opinion && !stack && (
        <Button asChild size="sm" variant="outline">
          <Link to={paths.aiAnalysis(image.id)} aria-label={t('images.card.opinionThis', { caption })}>
            <SealCheckIcon />
            {t('images.card.opinion')}
          </Link>
        </Button>
      )}
      {can.remove && (
        <IconButton
          size="sm"
          variant="plain"
          colorPalette="danger"
          color="danger.fg"
          ms="auto"
          me="-12px"
          aria-label={t('images.card.deleteThis', { caption })}
          onClick={() => onAsk('remove', image)}
        >
          <TrashIcon />
        </IconButton>
      )}
    </Flex>
  );
}

/** One image or study with its preview, caption, sender, badges and remaining time, and the actions that the viewer may take. */
export function ImageCard({ image, onAsk, onNear, selection }: Props) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const end = image.expiresAt ? Date.parse(image.expiresAt) : undefined;
  const now = useNow(15_000, end !== undefined && end > Date.now());
  const can = actionsOf(viewer, image, now);
  // The viewer's own share, or the only one that they gave.
  const ends = image.expiresAt ?? image.recipients?.one?.expiresAt;
  const ended = hasEnded(image, now) && !can.share && !ownsImage(viewer, image);
  const caption = titleOf(image, t('common.untitled'));
  const stack = stackOf(image);
  const isToLook = comesToLook(can);
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <Flex
      as="article"
      direction="column"
      layerStyle="card"
      p="9px"
      pb="3.5"
      h="full"
      data-image={image.id}
      {...(stack && { 'data-study': stack.id })}
      onPointerEnter={onNear}
      onFocus={onNear}
    >
      <Box position="relative">
        <Well image={image} ended={ended} />
        {selection && can.share && (
          <Choice open={selection.chosen !== undefined} image={image} caption={caption} selection={selection} />
        )}
        {can.open && !selection?.chosen && !isToLook && (
          <chakra.button
            type="button"
            aria-label={t('images.card.open', { caption })}
            onClick={() => onAsk('open', image)}
            position="absolute"
            inset="0"
            borderRadius="6px"
            cursor="zoom-in"
            focusVisibleRing="outside"
          />
        )}
        {isToLook && (
          // The picture may be pressed too. The focus is then at the button that does the same, and returns there.
          <Box
            aria-hidden
            onClick={() => {
              opener.current?.focus();
              opener.current?.click();
            }}
            position="absolute"
            inset="0"
            cursor="zoom-in"
          />
        )}
      </Box>
      <Flex direction="column" flex="1" px="1.5" pt="3">
        <Heading
          as="h3"
          fontSize="md"
          lineHeight="1.35"
          fontWeight="semibold"
          letterSpacing="normal"
          dir="auto"
          lineClamp="2"
          overflowWrap="anywhere"
        >
          {caption}
        </Heading>
        <Text fontSize="xs" color="fg.muted" mt="0.5">
          <ImageLine image={image} />
        </Text>
        {stack && (
          <Text fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
            <StudyLine study={stack} isVerified={image.isVerified && !ended} />
          </Text>
        )}
        <Flex gap="1.5" wrap="wrap" mt="3">
          <ImageBadges image={image} onShares={can.share ? () => onAsk('share', image) : undefined} />
        </Flex>
        {image.study?.unfinished && (
          <Text fontSize="xs" color="fg.muted" mt="2">
            {t('studies.unfinished', { hours: limits.unfinishedCopiesHours })}
          </Text>
        )}
        {image.note && !ended && (
          <Box mt="3">
            <ShareNote note={image.note} lines={3} />
          </Box>
        )}
        {ends && (
          <Box mt="3">
            <Countdown expiresAt={ends} startedAt={startOfShare(image)} />
          </Box>
        )}
        <CardActions image={image} onAsk={onAsk} can={can} ended={ended} caption={caption} opener={opener} />
      </Flex>
    </Flex>
  );
}
