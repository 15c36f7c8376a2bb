import { chakra } from '@chakra-ui/react';
import type { Image, Recipients } from '@lightbox/contract/images/schemas.js';
import type { ShareState } from '@lightbox/contract/sharing/states.js';
import { type Icon, KeyIcon, LockKeyIcon, SealCheckIcon, UsersIcon } from '@phosphor-icons/react';
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

/** Says how far the recipients are: code not entered, opened, locked. It opens the sheet that lists them. */
export function RecipientsBadge({ image, recipients, onOpen }: Props) {
  const { t } = useTranslation();
  const { text, ...mark } = useShown(recipients);
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
