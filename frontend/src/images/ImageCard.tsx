import { Box, Button, chakra, Flex, Heading, IconButton, Spacer, Text } from '@chakra-ui/react';
import { contentTypes, type Image } from '@lightbox/contract/images/schemas.js';
import { KeyIcon, ShareNetworkIcon, SparkleIcon, TrashIcon, UsersIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { formatDate, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { useNow } from '../lib/useNow';
import { Badge } from '../ui/Badge';
import { Countdown } from '../ui/Countdown';
import { EndedWell, ImageWell, WaitingWell } from '../ui/ImageWell';
import { Said } from '../ui/Said';
import { StateBadge } from '../ui/StateBadge';
import { actionsOf, hasEnded, ownsImage } from './access';

/** For an image older than this, a missing preview is no longer expected. */
const previewMs = 120_000;

export const isPicture = (image: Pick<Image, 'contentType'>) => image.contentType.startsWith('image/');
const isKnownType = (image: Image) => (contentTypes as readonly string[]).includes(image.contentType);

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

const Chip = chakra('span', {
  base: {
    display: 'inline-flex',
    alignItems: 'center',
    h: '24px',
    px: '9px',
    borderRadius: 'full',
    borderWidth: '1px',
    borderColor: 'border',
    fontSize: 'xs',
    fontWeight: 'medium',
    color: 'fg.muted',
    whiteSpace: 'nowrap',
  },
});

/** Shows the number of people with access. It opens the sheet that lists them. */
function SharedWith({ image, people, onOpen }: { image: Image; people: number; onOpen: () => void }) {
  const { t } = useTranslation();
  return (
    <chakra.button
      type="button"
      aria-label={t('images.card.sharedWithThis', { people, caption: image.caption || t('common.untitled') })}
      onClick={onOpen}
      minH="24px"
      borderRadius="full"
      cursor="pointer"
      focusVisibleRing="outside"
      _hover={{ textDecoration: 'underline' }}
    >
      <Badge Icon={UsersIcon} tone="info">
        {t('images.card.sharedWith', { people })}
      </Badge>
    </chakra.button>
  );
}

export function ImageBadges({ image, onShares }: { image: Image; onShares?: (() => void) | undefined }) {
  const { t } = useTranslation();
  const viewer = useViewer();
  if (hasEnded(image) && !ownsImage(viewer, image)) return <StateBadge state="shareEnded" />;
  return (
    <>
      <StateBadge state={image.isVerified ? 'verified' : 'notVerified'} />
      {onShares && image.sharedWith ? (
        <SharedWith image={image} people={image.sharedWith} onOpen={onShares} />
      ) : (
        image.isShared && image.isVerified && !image.shareId && <StateBadge state="shared" />
      )}
      {!image.isShared && ownsImage(viewer, image) && <Chip>{t('images.card.yours')}</Chip>}
    </>
  );
}

function Well({ image, ended }: { image: Image; ended: boolean }) {
  const { t } = useTranslation();
  const giver = image.sharedBy ?? image.owner;
  const missing =
    image.isVerified && image.image_url === null && isKnownType(image) && image.contentType !== 'application/pdf';
  const now = useNow(10_000, missing);
  if (ended) {
    const help = giver && <Said i18nKey="images.card.endedText" values={{ name: fullName(giver) }} />;
    return <EndedWell title={t('images.card.endedTitle')} help={help} />;
  }
  if (missing && now - Date.parse(image.createAt) < previewMs) return <WaitingWell label={t('images.card.making')} />;
  return <ImageWell image={image} />;
}

export type Ask = 'open' | 'verify' | 'share' | 'remove' | 'timeline';

interface Props {
  image: Image;
  onAsk: (what: Ask, image: Image) => void;
}

/** One image with its preview, caption, sender, badges and remaining time, and the actions that the viewer may take. */
export function ImageCard({ image, onAsk }: Props) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const end = image.expiresAt ? Date.parse(image.expiresAt) : undefined;
  const now = useNow(15_000, end !== undefined && end > Date.now());
  const can = actionsOf(viewer, image, now);
  const ended = hasEnded(image, now) && !can.share && !ownsImage(viewer, image);
  const caption = image.caption || t('common.untitled');
  return (
    <Flex as="article" direction="column" layerStyle="card" p="9px" pb="3.5" h="full" data-image={image.id}>
      <Box position="relative">
        <Well image={image} ended={ended} />
        {can.open && (
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
      </Box>
      <Flex direction="column" flex="1" px="1.5" pt="3">
        <Heading as="h3" fontSize="md" lineHeight="1.35" fontWeight="semibold" letterSpacing="normal" dir="auto">
          {caption}
        </Heading>
        <Text fontSize="xs" color="fg.muted" mt="0.5">
          <ImageLine image={image} />
        </Text>
        <Flex gap="1.5" wrap="wrap" mt="3">
          <ImageBadges image={image} onShares={can.share ? () => onAsk('share', image) : undefined} />
        </Flex>
        {image.expiresAt && (
          <Box mt="3">
            <Countdown expiresAt={image.expiresAt} startedAt={image.sharedAt} />
          </Box>
        )}
        <Flex gap="2" mt="auto" pt="3.5" align="flex-end" _empty={{ display: 'none' }}>
          {can.verify && (
            <Button
              size="sm"
              flex="1"
              aria-label={t('images.card.verifyThis', { caption })}
              onClick={() => onAsk('verify', image)}
            >
              <KeyIcon />
              {t('images.card.verify')}
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
          {can.ai && (
            <Button asChild size="sm" variant="outline">
              <Link to={paths.aiAnalysis(image.id)} aria-label={t('images.card.aiThis', { caption })}>
                <SparkleIcon />
                {t('images.card.ai')}
              </Link>
            </Button>
          )}
          {can.remove && (
            <>
              <Spacer />
              <IconButton
                size="sm"
                variant="plain"
                colorPalette="danger"
                color="danger.fg"
                aria-label={t('images.card.deleteThis', { caption })}
                onClick={() => onAsk('remove', image)}
              >
                <TrashIcon />
              </IconButton>
            </>
          )}
        </Flex>
      </Flex>
    </Flex>
  );
}
