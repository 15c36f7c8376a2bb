import type { GuestLinkState } from '@lightbox/contract/guests/states.js';
import { LinkBreakIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Note } from '../ui/Note';
import { OverFrame } from './OverFrame';

interface Props {
  /** Absent when the address belongs to no link, or the server was not reached. */
  state: GuestLinkState | undefined;
  error: Error | null;
  onRetry: () => void;
}

/** Says why a guest link does not open, and who can help. */
export function LinkEnded({ state, ...asked }: Props) {
  const { t } = useTranslation();
  const why = state === undefined || state === 'open' ? 'unknown' : state;
  return (
    <OverFrame title={t('guests.endedTitle')} Icon={LinkBreakIcon} {...asked}>
      <Note Icon={LinkBreakIcon} tone="warning" role="status" title={t(`guests.ended.${why}.title`)}>
        {t(`guests.ended.${why}.text`)}
      </Note>
    </OverFrame>
  );
}
