import type { RequestState } from '@lightbox/contract/requests/states.js';
import {
  CheckCircleIcon,
  ClockCountdownIcon,
  HourglassMediumIcon,
  ProhibitIcon,
  TrashIcon,
  TrayArrowDownIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../ui/Badge';

const looks = {
  waiting: { Icon: HourglassMediumIcon, tone: 'info', filled: false },
  received: { Icon: TrayArrowDownIcon, tone: 'warning', filled: true },
  taken: { Icon: CheckCircleIcon, tone: 'success', filled: true },
  declined: { Icon: TrashIcon, tone: 'gray', filled: false },
  ended: { Icon: ClockCountdownIcon, tone: 'gray', filled: false },
  revoked: { Icon: ProhibitIcon, tone: 'gray', filled: false },
} as const satisfies Record<RequestState, unknown>;

/** Shows the state of a request. */
export function StateOf({ state }: { state: RequestState }) {
  const { t } = useTranslation();
  return <Badge {...looks[state]}>{t(`requests.state.${state}`)}</Badge>;
}
