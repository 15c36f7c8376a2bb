import { Box, chakra, Flex, IconButton, Text } from '@chakra-ui/react';
import type { MessageView, PinnedView } from '@lightbox/contract/together/schemas.js';
import { LockKeyIcon, MapPinIcon, XIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useImage } from '../images/images';
import { paths } from '../lib/paths';
import { Thumb } from './AttachmentCard';

const frame = {
  display: 'flex',
  alignItems: 'center',
  gap: '3',
  minH: '60px',
  maxW: 'full',
  p: '1.5',
  pe: '4',
  mb: '1',
  color: 'fg',
  bg: 'bg.surface',
  borderWidth: '1px',
  borderColor: 'border.control',
  borderRadius: 'box',
  textDecoration: 'none',
} as const;

/** The small picture of a pinned place, with its frame. */
function Place({ view: { imageId, frame: n } }: { view: PinnedView }) {
  const { t } = useTranslation();
  const { data: image } = useImage(imageId);
  const frames = image?.frames ?? 1;
  return (
    <>
      <Thumb id={imageId} contentType={image?.contentType} size="46px" />
      <Box minW="0" lineHeight="1.35">
        <Flex as="span" align="center" gap="1" fontWeight="semibold" fontSize="sm">
          <MapPinIcon size={16} weight="fill" aria-hidden />
          {t('messages.pinned.place')}
        </Flex>
        <Text as="span" display="block" fontSize="xs" color="fg.muted" truncate dir="auto">
          {n && frames > 1 ? t('messages.pinned.frame', { frame: n, frames }) : (image?.caption ?? '\u00a0')}
        </Text>
      </Box>
    </>
  );
}

/** The pinned place of a message: a link to it, or its lock while the reader may not open the image. */
export function PinnedCard({ view }: { view: MessageView }) {
  const { t } = useTranslation();
  if ('locked' in view)
    return (
      <Box {...frame} data-pinned={view.imageId} data-locked="">
        <Box boxSize="46px" flex="none" display="grid" placeItems="center" bg="bg.subtle" color="fg.muted">
          <LockKeyIcon size={22} aria-hidden />
        </Box>
        <Box minW="0" lineHeight="1.35">
          <Text as="span" display="block" fontWeight="semibold" fontSize="sm">
            {t('messages.pinned.locked')}
          </Text>
          <Text as="span" display="block" fontSize="xs" color="fg.muted">
            {t('messages.pinned.lockedHelp')}
          </Text>
        </Box>
      </Box>
    );
  return (
    <chakra.div asChild {...frame} _hover={{ bg: 'bg.muted' }} focusVisibleRing="outside">
      <Link to={paths.pinned(view)} data-pinned={view.imageId}>
        <Place view={view} />
      </Link>
    </chakra.div>
  );
}

/** The place that the next message pins, above the field. */
export function PinnedChip({ view, onRemove }: { view: PinnedView | undefined; onRemove: () => void }) {
  const { t } = useTranslation();
  if (!view) return null;
  return (
    <Flex role="group" aria-label={t('messages.pinned.chosen')} data-pinning={view.imageId} mb="1" maxW="340px">
      <Box {...frame} pe="1" flex="1" minW="0">
        <Place view={view} />
        <IconButton ms="auto" size="sm" variant="ghost" aria-label={t('messages.pinned.remove')} onClick={onRemove}>
          <XIcon />
        </IconButton>
      </Box>
    </Flex>
  );
}
