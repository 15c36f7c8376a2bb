import { Button, Stack, Text } from '@chakra-ui/react';
import { type Icon, WarningIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AuthFrame } from '../auth/AuthFrame';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { Note } from '../ui/Note';
import { useClinic } from './clinic';

interface Props {
  title: string;
  tabTitle?: string;
  Icon: Icon;
  error: Error | null;
  onRetry: () => void;
  /** The reason; with an error of the server or the network, the error is shown in its place. */
  children: ReactNode;
}

/** Answers that mean that the address is wrong, not that the server is busy. */
const wrong = (error: Error) => error instanceof ApiError && [404, 422].includes(error.status);

/** The page of a link for people without an account that does not work: why, and the clinic, which can help. */
export function OverFrame({ title, tabTitle, Icon, error, onRetry, children }: Props) {
  const { t } = useTranslation();
  const { clinic, phone } = useClinic();
  return (
    <AuthFrame
      home={false}
      help={false}
      title={title}
      {...(tabTitle && { tabTitle })}
      badge={<Icon size={28} aria-hidden />}
    >
      <Stack gap="5" mb="6">
        {error && !wrong(error) ? (
          <>
            <Note Icon={WarningIcon} tone="danger" role="status" title={t('common.couldNotLoad')}>
              {errorText(error)}
            </Note>
            <Button size="xl" onClick={onRetry}>
              {t('common.retry')}
            </Button>
          </>
        ) : (
          children
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
