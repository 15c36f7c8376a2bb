import { Button, Stack, Text } from '@chakra-ui/react';
import type { GuestLinkState } from '@lightbox/contract/guests/states.js';
import { LinkBreakIcon, WarningIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { AuthFrame } from '../auth/AuthFrame';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { Note } from '../ui/Note';
import { useClinic } from './clinic';

interface Props {
  /** Absent when the address belongs to no link, or the server was not reached. */
  state: GuestLinkState | undefined;
  error: Error | null;
  onRetry: () => void;
}

/** Answers that mean that the address is wrong, not that the server is busy. */
const wrong = (error: Error | null) => error instanceof ApiError && [404, 422].includes(error.status);

/** Says why a guest link does not open, and who can help. */
export function LinkEnded({ state, error, onRetry }: Props) {
  const { t } = useTranslation();
  const { clinic, phone } = useClinic();
  const why = state === undefined || state === 'open' ? 'unknown' : state;
  const failed = error !== null && !wrong(error);
  return (
    <AuthFrame home={false} help={false} title={t('guests.endedTitle')} badge={<LinkBreakIcon size={28} aria-hidden />}>
      <Stack gap="5" mb="6">
        {failed ? (
          <>
            <Note Icon={WarningIcon} tone="danger" role="status" title={t('common.couldNotLoad')}>
              {errorText(error)}
            </Note>
            <Button size="xl" onClick={onRetry}>
              {t('common.retry')}
            </Button>
          </>
        ) : (
          <Note Icon={LinkBreakIcon} tone="warning" role="status" title={t(`guests.ended.${why}.title`)}>
            {t(`guests.ended.${why}.text`)}
          </Note>
        )}
        {clinic && (
          <Text color="fg.muted">
            {phone ? t('guests.clinicPhone', { clinic, phone }) : t('guests.clinic', { clinic })}
          </Text>
        )}
      </Stack>
    </AuthFrame>
  );
}
