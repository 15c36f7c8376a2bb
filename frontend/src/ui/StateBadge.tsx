import {
  CheckCircleIcon,
  FirstAidIcon,
  HandHeartIcon,
  HourglassMediumIcon,
  LockKeyIcon,
  MinusCircleIcon,
  ProhibitIcon,
  ScanIcon,
  SealCheckIcon,
  StarIcon,
  UsersIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Badge } from './Badge';

const states = {
  verified: { Icon: SealCheckIcon, tone: 'success', filled: true },
  notVerified: { Icon: LockKeyIcon, tone: 'warning', filled: false },
  new: { Icon: StarIcon, tone: 'accent', filled: true },
  locked: { Icon: LockKeyIcon, tone: 'danger', filled: true },
  shared: { Icon: UsersIcon, tone: 'info', filled: false },
  shareEnded: { Icon: ProhibitIcon, tone: 'danger', filled: false },
  underReview: { Icon: HourglassMediumIcon, tone: 'warning', filled: false },
  unfinished: { Icon: HourglassMediumIcon, tone: 'warning', filled: false },
  active: { Icon: CheckCircleIcon, tone: 'success', filled: true },
  inactive: { Icon: MinusCircleIcon, tone: 'gray', filled: false },
  emergency: { Icon: FirstAidIcon, tone: 'danger', filled: true },
  carer: { Icon: HandHeartIcon, tone: 'info', filled: false },
  opensInViewer: { Icon: ScanIcon, tone: 'accent', filled: false },
} as const;

export type StateName = keyof typeof states;

/** Shows a state with its own icon, colour and word. */
export function StateBadge({ state }: { state: StateName }) {
  const { t } = useTranslation();
  return <Badge {...states[state]}>{t(`app.badge.${state}`)}</Badge>;
}
