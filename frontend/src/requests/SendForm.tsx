import { Button, Flex, Stack, Text } from '@chakra-ui/react';
import { FileArrowUpIcon, InfoIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AuthFrame } from '../auth/AuthFrame';
import { useClinic } from '../guests/clinic';
import { i18n } from '../i18n';
import { errorText } from '../lib/errors';
import { formatDateTime, fullName } from '../lib/format';
import { ApiError } from '../lib/http';
import { Note } from '../ui/Note';
import { type Choices, groupsOf } from '../uploads/selection';
import { useReadings } from '../uploads/useReadings';
import { ChooseFiles } from './ChooseFiles';
import { Delivering } from './Delivering';
import { Delivery, type Parcel, type Progress } from './delivery';
import { clear, finish, type Opened } from './sender';

interface Props {
  address: string;
  opened: Opened;
  /** Called with the name of the person who asked, once everything is handed over. */
  onSent: (name: string) => void;
  /** The request takes no files any more, or its state has to be read again. */
  onOver: () => void;
}

const noChoices: Choices = { captions: {}, included: {}, together: true, title: '' };

interface KeptProps {
  count: number;
  token: string;
  onSent: () => void;
  onOver: () => void;
}

/** Returns the text of a failure to show; none when the state of the request, which is read again, says it. */
function textOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return error ? errorText(error) : undefined;
  if (error.code === 'CONFLICT') return undefined;
  // The token was too old. A new one is read with the state; the text of the error would ask for a sign-in.
  return error.status === 401 ? i18n.t('errors.UNKNOWN') : errorText(error);
}

/** The files of an earlier visit: they are handed over, or the sender begins again. */
function Kept({ count, token, onSent, onOver }: KeptProps) {
  const { t } = useTranslation();
  const meta = { silent: true };
  const handOver = useMutation({ mutationFn: () => finish(token), meta, onSuccess: onSent, onError: onOver });
  const remove = useMutation({ mutationFn: () => clear(token), meta, onSettled: onOver });
  const fault = textOf(handOver.error ?? remove.error);
  return (
    <Note Icon={InfoIcon} tone="warning" title={t('requests.send.kept', { count })}>
      {fault && (
        <Text mt="1" role="alert">
          {fault}
        </Text>
      )}
      <Flex gap="2" mt="2" wrap="wrap">
        <Button
          size="sm"
          loading={handOver.isPending}
          disabled={remove.isPending}
          onClick={() => {
            remove.reset();
            handOver.mutate();
          }}
        >
          {t('requests.send.keptAct')}
        </Button>
        <Button
          size="sm"
          variant="outline"
          loading={remove.isPending}
          disabled={handOver.isPending}
          onClick={() => {
            handOver.reset();
            remove.mutate();
          }}
        >
          {t('requests.send.startOver')}
        </Button>
      </Flex>
    </Note>
  );
}

/** Everything that the sender chooses and sends, in one column that fits a phone. */
export function SendForm({ address, opened, onSent, onOver }: Props) {
  const { t } = useTranslation();
  const { clinic } = useClinic();
  const { kind = 'file', note, expiresAt, files: kept = 0, maxFiles = 1, maxBytes = 0, token = '' } = opened;
  const name = opened.asker ? fullName(opened.asker) : '';
  const readings = useReadings(maxBytes);
  const [round, setRound] = useState(0);
  const [progress, setProgress] = useState<Progress>();
  const [cancelled, setCancelled] = useState(false);
  const delivery = useRef<Delivery>(undefined);
  useEffect(() => () => delivery.current?.cancel(), []);
  useEffect(() => {
    if (progress?.state === 'done') onSent(name);
    if (progress?.state === 'over') onOver();
  }, [progress?.state, onSent, onOver, name]);

  const { plan } = readings;
  const parcels = useMemo(
    (): Parcel[] =>
      groupsOf(plan, noChoices, undefined)
        .flatMap(({ files }) => files)
        .map(({ source, caption }) => ({ source, caption: caption || t('requests.send.tab') })),
    [plan, t],
  );
  const start = () => {
    setCancelled(false);
    delivery.current = new Delivery(address, token, parcels, setProgress);
    void delivery.current.run();
  };
  const cancel = () => {
    delivery.current?.cancel();
    setProgress(undefined);
    setCancelled(true);
    // The number of files that have arrived may be another now.
    onOver();
  };
  const restart = () => {
    delivery.current?.cancel();
    setProgress(undefined);
    readings.reset();
    setRound(round + 1);
    // Files of this try may have arrived.
    onOver();
  };
  return (
    <AuthFrame
      home={false}
      help={false}
      title={t(kind === 'file' ? 'requests.send.title' : 'requests.send.titleFolder', { name })}
      tabTitle={t('requests.send.tab')}
      badge={<FileArrowUpIcon size={28} aria-hidden />}
      sub={
        <Text>
          {clinic && `${t('requests.send.clinic', { clinic })} `}
          {t('requests.send.until', { date: formatDateTime(expiresAt) })}
        </Text>
      }
    >
      <Stack gap="5" mb="6">
        {note && (
          <Note Icon={InfoIcon} title={t('requests.send.note', { name })}>
            <Text as="span" dir="auto" whiteSpace="pre-wrap" overflowWrap="anywhere">
              {note}
            </Text>
          </Note>
        )}
        {progress ? (
          <Delivering
            progress={progress}
            total={parcels.length}
            name={name}
            onCancel={cancel}
            onHandOver={() => void delivery.current?.handOver()}
            onRestart={restart}
          />
        ) : (
          <>
            {kept > 0 && <Kept count={kept} token={token} onSent={() => onSent(name)} onOver={onOver} />}
            {cancelled && <Note Icon={InfoIcon} role="status" title={t('requests.send.cancelled')} />}
            <ChooseFiles
              {...{ kind, name, maxFiles, maxBytes, readings, parcels, round }}
              onSend={start}
              onRestart={restart}
            />
          </>
        )}
        {progress?.state === 'failed' && (
          <Text fontSize="sm" color="fg.error" role="alert">
            {errorText(progress.error)}
          </Text>
        )}
      </Stack>
    </AuthFrame>
  );
}
