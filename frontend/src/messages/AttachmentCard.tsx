import { Box, chakra, Text } from '@chakra-ui/react';
import type { Attachment } from '@lightbox/contract/messages/calls.js';
import {
  FilePdfIcon,
  ImageIcon,
  LockKeyIcon,
  type Icon as PhosphorIcon,
  ProhibitIcon,
  TrashIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { imagePreview } from '../images/images';
import { ltr } from '../lib/format';
import { paths } from '../lib/paths';
import { useObjectUrl } from '../lib/useObjectUrl';

/** A small picture of an image, on black film; an icon when there is none. */
export function Thumb({ id, contentType, size }: { id: string; contentType?: string | undefined; size: string }) {
  const { data } = useQuery({ ...imagePreview(['messages'], id), enabled: contentType !== 'application/pdf' });
  const url = useObjectUrl(data);
  const Icon = contentType === 'application/pdf' ? FilePdfIcon : ImageIcon;
  return (
    <Box
      boxSize={size}
      flex="none"
      borderRadius="film"
      overflow="hidden"
      bg="film.bg"
      color="film.muted"
      display="grid"
      placeItems="center"
    >
      {url ? (
        <chakra.img src={url} alt="" boxSize="full" objectFit="contain" draggable={false} />
      ) : (
        <Icon size={24} aria-hidden />
      )}
    </Box>
  );
}

const frame = {
  display: 'flex',
  alignItems: 'center',
  gap: '3',
  w: 'full',
  minH: '76px',
  p: '2',
  pe: '4',
  textAlign: 'start',
  color: 'fg',
  bg: 'bg.surface',
  borderWidth: '1px',
  borderColor: 'border.control',
  borderRadius: 'box',
} as const;
const press = {
  cursor: 'pointer',
  textDecoration: 'none',
  transition: 'background-color',
  transitionDuration: 'fade',
  _hover: { bg: 'bg.muted' },
  focusVisibleRing: 'outside',
} as const;

function Words({ title, sub }: { title: string; sub?: ReactNode }) {
  return (
    <Box minW="0" lineHeight="1.35">
      <Text as="span" display="block" fontWeight="semibold" fontSize="sm" lineClamp={2} dir="auto">
        {title}
      </Text>
      {sub && (
        <Text as="span" display="block" fontSize="xs" color="fg.muted">
          {sub}
        </Text>
      )}
    </Box>
  );
}

function Blank({ Icon, tone, title, sub }: { Icon: PhosphorIcon; tone: string; title: string; sub?: string }) {
  return (
    <>
      <Box
        boxSize="60px"
        flex="none"
        display="grid"
        placeItems="center"
        bg="bg.subtle"
        borderRadius="film"
        color={tone}
      >
        <Icon size={24} aria-hidden />
      </Box>
      <Words title={title} sub={sub} />
    </>
  );
}

interface Props {
  card: Attachment;
  onVerify: (card: Attachment) => void;
}

/** An attached image as its reader may see it: the picture, the way to its code, or the reason for neither. */
export function AttachmentCard({ card, onVerify }: Props) {
  const { t } = useTranslation();
  const { imageId, access, deleted, caption, contentType, modality } = card;
  const data = { 'data-attachment': imageId, 'data-access': deleted ? 'deleted' : access };
  if (access === 'open') {
    const title = caption || t('common.untitled');
    return (
      <chakra.div asChild {...frame} {...press}>
        <Link to={paths.viewer(imageId)} {...data}>
          <Thumb id={imageId} contentType={contentType} size="60px" />
          <Words title={title} sub={modality ? ltr(modality) : t('messages.attach.image')} />
        </Link>
      </chakra.div>
    );
  }
  if (access === 'locked') {
    return (
      <chakra.button type="button" {...frame} {...press} {...data} onClick={() => onVerify(card)}>
        <Blank
          Icon={LockKeyIcon}
          tone="warning.fg"
          title={t('messages.attach.locked')}
          sub={t('messages.attach.lockedHelp')}
        />
      </chakra.button>
    );
  }
  return (
    <Box {...frame} {...data}>
      <Blank
        Icon={deleted ? TrashIcon : ProhibitIcon}
        tone="fg.muted"
        title={t(deleted ? 'messages.attach.deleted' : 'messages.attach.none')}
        {...(!deleted && { sub: t('messages.attach.noneHelp') })}
      />
    </Box>
  );
}
