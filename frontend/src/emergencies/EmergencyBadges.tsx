import { Flex } from '@chakra-ui/react';
import type { Emergency } from '@lightbox/contract/emergencies/calls.js';
import type { EmergencyReviewState } from '@lightbox/contract/emergencies/states.js';
import {
  ChatCircleTextIcon,
  CheckCircleIcon,
  FirstAidIcon,
  HourglassMediumIcon,
  MinusCircleIcon,
  QuestionIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatTime } from '../lib/format';
import { useAtNow } from '../lib/useNow';
import { Badge } from '../ui/Badge';

const reviews = {
  open: { Icon: HourglassMediumIcon, tone: 'warning' },
  questioned: { Icon: QuestionIcon, tone: 'warning' },
  answered: { Icon: ChatCircleTextIcon, tone: 'info' },
  approved: { Icon: CheckCircleIcon, tone: 'success' },
} as const satisfies Record<EmergencyReviewState, object>;

/** Shows if the access lasts, and the state of its review. */
export function EmergencyBadges({ emergency: { endedAt, until, review } }: { emergency: Emergency }) {
  const { t } = useTranslation();
  const lasts = useAtNow((now) => endedAt === undefined && Date.parse(until) > now);
  const time = formatTime(endedAt ?? until);
  return (
    <Flex gap="1.5" wrap="wrap" mt="2.5">
      {lasts ? (
        <Badge Icon={FirstAidIcon} tone="danger" filled>
          {t('emergencies.until', { time })}
        </Badge>
      ) : (
        <Badge Icon={MinusCircleIcon}>{t('emergencies.ended', { time })}</Badge>
      )}
      {review && <Badge {...reviews[review.state]}>{t(`emergencies.state.${review.state}`)}</Badge>}
    </Flex>
  );
}
