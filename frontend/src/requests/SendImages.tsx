import '../i18n/signedIn';
import { Button, Stack, Text } from '@chakra-ui/react';
import type { RequestState } from '@lightbox/contract/requests/states.js';
import { CheckCircleIcon, LinkBreakIcon, WarningIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useParams } from 'react-router-dom';
import { AuthFrame } from '../auth/AuthFrame';
import { useClinic } from '../guests/clinic';
import { useUnlisted } from '../guests/useUnlisted';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { Note } from '../ui/Note';
import { SendForm } from './SendForm';
import { openedRequest } from './sender';

/** Answers that mean that the address is wrong, not that the server is busy. */
const wrong = (error: Error | null) => error instanceof ApiError && [404, 422].includes(error.status);

/**
 * The screen on which somebody without an account sends images for a request. Its address ends in `#` and the proof, which
 * the browser sends to no server. A session of this browser is neither used nor shown.
 */
export function SendImages() {
  const { link = '' } = useParams();
  const { hash } = useLocation();
  const address = `${link}.${hash.slice(1)}`;
  return <OneRequest key={address} address={address} />;
}

function OneRequest({ address }: { address: string }) {
  const opened = useQuery(openedRequest(address));
  const [sentTo, setSentTo] = useState<string>();
  useUnlisted();
  if (sentTo !== undefined) return <Sent name={sentTo} />;
  if (opened.isPending) return null;
  const again = () => void opened.refetch();
  if (opened.data?.state === 'waiting')
    return <SendForm address={address} opened={opened.data} onSent={setSentTo} onOver={again} />;
  return <Over state={opened.data?.state} error={opened.error} onRetry={again} />;
}

function Sent({ name }: { name: string }) {
  const { t } = useTranslation();
  return (
    <AuthFrame
      home={false}
      help={false}
      title={t('requests.send.done')}
      tabTitle={t('requests.send.tab')}
      badge={<CheckCircleIcon size={28} aria-hidden />}
    >
      <Note Icon={CheckCircleIcon} tone="success" role="status" title={t('requests.send.doneText', { name })}>
        {t('requests.send.close')}
      </Note>
    </AuthFrame>
  );
}

interface OverProps {
  /** Absent when the address belongs to no request, or the server was not reached. */
  state: RequestState | undefined;
  error: Error | null;
  onRetry: () => void;
}

/** Says why the link takes no images, and who can help. */
function Over({ state, error, onRetry }: OverProps) {
  const { t } = useTranslation();
  const { clinic, phone } = useClinic();
  const why = state === undefined || state === 'waiting' ? 'unknown' : state;
  const failed = error !== null && !wrong(error);
  const good = why === 'received' || why === 'taken';
  const Icon = good ? CheckCircleIcon : LinkBreakIcon;
  return (
    <AuthFrame
      home={false}
      help={false}
      title={t('requests.send.overTitle')}
      tabTitle={t('requests.send.tab')}
      badge={<Icon size={28} aria-hidden />}
    >
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
          <Note
            Icon={Icon}
            tone={good ? 'success' : 'warning'}
            role="status"
            title={t(`requests.send.over.${why}.title`)}
          >
            {t(`requests.send.over.${why}.text`)}
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
