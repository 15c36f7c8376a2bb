import { chakra } from '@chakra-ui/react';
import type { Image, Recipients } from '@lightbox/contract/images/schemas.js';
import type { ShareState } from '@lightbox/contract/sharing/states.js';
import { type Icon, KeyIcon, LinkIcon, LockKeyIcon, SealCheckIcon, UsersIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatWhen, fullName } from '../lib/format';
import { Badge } from '../ui/Badge';
import { titleOf } from './subject';

interface Shown {
  Icon: Icon;
  tone: 'warning' | 'danger' | 'success' | 'info';
  text: string;
}

const marks = {
  pending: { Icon: KeyIcon, tone: 'warning' },
  locked: { Icon: LockKeyIcon, tone: 'danger' },
  verified: { Icon: SealCheckIcon, tone: 'success' },
} as const satisfies Partial<Record<ShareState, unknown>>;

function useShown({ total, opened, locked, one }: Recipients): Shown {
  const { t } = useTranslation();
  if (one) {
    const name = one.person.firstname || fullName(one.person);
    const when = formatWhen(one.at);
    return { ...marks[one.state], text: t(`images.card.recipient.${one.state}`, { name, when }) };
  }
  const values = { total, opened, locked };
  if (locked > 0) return { ...marks.locked, text: t('images.card.recipient.someLocked', values) };
  const mark = opened === total ? marks.verified : { Icon: UsersIcon, tone: 'info' as const };
  return { ...mark, text: t('images.card.recipient.opened', values) };
}

interface Props {
  image: Image;
  recipients: Recipients;
  /** Opens the sheet that lists the recipients. */
  onOpen: () => void;
}

/** A badge that opens the sheet of the people with access. */
function SheetBadge({ image, text, onOpen, ...mark }: Shown & Pick<Props, 'image' | 'onOpen'>) {
  const { t } = useTranslation();
  return (
    <chakra.button
      type="button"
      aria-label={t('images.card.recipient.all', { text, caption: titleOf(image, t('common.untitled')) })}
      onClick={onOpen}
      minH="24px"
      maxW="full"
      borderRadius="full"
      cursor="pointer"
      focusVisibleRing="outside"
      _hover={{ textDecoration: 'underline' }}
    >
      <Badge {...mark}>{text}</Badge>
    </chakra.button>
  );
}

/** Says how far the recipients are: code not entered, opened, locked. It opens the sheet that lists them. */
export function RecipientsBadge({ image, recipients, onOpen }: Props) {
  return <SheetBadge image={image} onOpen={onOpen} {...useShown(recipients)} />;
}

/** Says that people without an account may see the image. With `onOpen` it opens the sheet that lists the links. */
export function GuestLinksBadge({ image, count, onOpen }: { image: Image; count: number; onOpen?: () => void }) {
  const { t } = useTranslation();
  const shown: Shown = { Icon: LinkIcon, tone: 'info', text: t('images.card.guestLinks', { count }) };
  if (onOpen) return <SheetBadge image={image} onOpen={onOpen} {...shown} />;
  const { text, ...mark } = shown;
  return <Badge {...mark}>{text}</Badge>;
}
