import '../i18n/further';
import type { RequestState } from '@lightbox/contract/requests/states.js';
import { CheckCircleIcon, LinkBreakIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useParams } from 'react-router-dom';
import { AuthFrame } from '../auth/AuthFrame';
import { OverFrame } from '../guests/OverFrame';
import { useUnlisted } from '../guests/useUnlisted';
import { Note } from '../ui/Note';
import { SendForm } from './SendForm';
import { openedRequest } from './sender';

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
function Over({ state, ...asked }: OverProps) {
  const { t } = useTranslation();
  const why = state === undefined || state === 'waiting' ? 'unknown' : state;
  const good = why === 'received' || why === 'taken';
  const Icon = good ? CheckCircleIcon : LinkBreakIcon;
  return (
    <OverFrame title={t('requests.send.overTitle')} tabTitle={t('requests.send.tab')} Icon={Icon} {...asked}>
      <Note Icon={Icon} tone={good ? 'success' : 'warning'} role="status" title={t(`requests.send.over.${why}.title`)}>
        {t(`requests.send.over.${why}.text`)}
      </Note>
    </OverFrame>
  );
}
