import { Box, Button, Flex, Stack, Text } from '@chakra-ui/react';
import {
  CameraIcon,
  FileArrowUpIcon,
  FolderOpenIcon,
  InfoIcon,
  LockKeyIcon,
  PaperPlaneTiltIcon,
  WarningCircleIcon,
} from '@phosphor-icons/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AuthFrame } from '../auth/AuthFrame';
import { useClinic } from '../guests/clinic';
import { errorText } from '../lib/errors';
import { formatBytes, formatDateTime, fullName } from '../lib/format';
import { useMedia } from '../lib/useMedia';
import { Meter } from '../ui/Meter';
import { Note } from '../ui/Note';
import { LeftOut } from '../uploads/LeftOut';
import { type Choices, groupsOf } from '../uploads/selection';
import { chooseFiles } from '../uploads/sources';
import { useReadings } from '../uploads/useReadings';
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

  const { plan, busy, omitted, refused, locked } = readings;
  const parcels = useMemo(
    (): Parcel[] =>
      groupsOf(plan, noChoices, undefined)
        .flatMap(({ files }) => files)
        .map(({ source, caption }) => ({ source, caption: caption || t('requests.send.tab') })),
    [plan, t],
  );
  const bytes = parcels.reduce((sum, { source }) => sum + source.size, 0);
  const tooMany = parcels.length > maxFiles;

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
  const choose = (how: Parameters<typeof chooseFiles>[0]) => chooseFiles(how, (files) => void readings.add(files));
  const restart = () => {
    delivery.current?.cancel();
    setProgress(undefined);
    readings.reset();
    setRound(round + 1);
  };
  const handOver = async () => {
    await finish(token).then(
      () => onSent(name),
      () => onOver(),
    );
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
            {kept > 0 && (
              <Note Icon={InfoIcon} tone="warning" title={t('requests.send.kept', { count: kept })}>
                <Flex gap="2" mt="2" wrap="wrap">
                  <Button size="sm" onClick={() => void handOver()}>
                    {t('requests.send.keptAct')}
                  </Button>
                  <Button size="sm" variant="outline" onClick={() => void clear(token).finally(onOver)}>
                    {t('requests.send.startOver')}
                  </Button>
                </Flex>
              </Note>
            )}
            {cancelled && <Note Icon={InfoIcon} role="status" title={t('requests.send.cancelled')} />}
            <Ways kind={kind} chosen={parcels.length > 0} onChoose={choose} onRestart={restart} />
            {busy && (
              <Box>
                <Text fontSize="sm" mb="2" fontVariantNumeric="tabular-nums">
                  {t('requests.send.reading', { done: readings.done, total: readings.total })}
                </Text>
                <Meter lamp value={readings.total ? readings.done / readings.total : 0} label={t('common.loading')} />
              </Box>
            )}
            {locked.map((one) => (
              <Note key={one.name} Icon={LockKeyIcon} tone="warning" role="alert" title={t('requests.send.locked')} />
            ))}
            <LeftOut
              key={round}
              omitted={omitted}
              refused={refused}
              maxBytes={maxBytes}
              open={!busy && parcels.length === 0}
            />
            {!busy && readings.total > 0 && parcels.length === 0 && (
              <Note Icon={WarningCircleIcon} tone="danger" role="alert" title={t('requests.send.nothing')} />
            )}
            {tooMany && (
              <Note
                Icon={WarningCircleIcon}
                tone="danger"
                role="alert"
                title={
                  kind === 'file'
                    ? t('requests.send.tooMany', { name })
                    : t('requests.send.tooManyFiles', { count: maxFiles })
                }
              />
            )}
            {parcels.length > 0 && (
              <>
                <Text fontWeight="semibold" role="status" overflowWrap="anywhere">
                  {parcels.length === 1 && <bdi>{parcels[0]?.source.name}: </bdi>}
                  {t('requests.send.chosen', { count: parcels.length, size: formatBytes(bytes) })}
                </Text>
                <Button size="xl" disabled={busy || tooMany} onClick={start}>
                  <PaperPlaneTiltIcon mirrored={document.dir === 'rtl'} aria-hidden />
                  {t('requests.send.send')}
                </Button>
              </>
            )}
            <Text fontSize="sm" color="fg.muted">
              {t('requests.send.types', { max: formatBytes(maxBytes) })} {t('requests.send.private', { name })}
            </Text>
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

interface WaysProps {
  kind: 'file' | 'folder';
  chosen: boolean;
  onChoose: (how: { folder?: boolean; camera?: boolean }) => void;
  onRestart: () => void;
}

/** The ways to files: the disk, the camera of a phone, and a folder. */
function Ways({ kind, chosen, onChoose, onRestart }: WaysProps) {
  const { t } = useTranslation();
  const touch = useMedia('(pointer: coarse)');
  const folders = typeof document !== 'undefined' && 'webkitdirectory' in document.createElement('input');
  if (chosen) {
    return (
      <Button variant="outline" onClick={onRestart}>
        {t('requests.send.other')}
      </Button>
    );
  }
  return (
    <Stack gap="3">
      {kind === 'folder' && folders && !touch && (
        <Button size="xl" onClick={() => onChoose({ folder: true })}>
          <FolderOpenIcon aria-hidden />
          {t('requests.send.folder')}
        </Button>
      )}
      <Button
        size="xl"
        variant={kind === 'folder' && folders && !touch ? 'outline' : 'solid'}
        onClick={() => onChoose({})}
      >
        <FileArrowUpIcon aria-hidden />
        {t(kind === 'file' ? 'requests.send.file' : 'requests.send.files')}
      </Button>
      {kind === 'folder' && folders && touch && (
        <Button size="lg" variant="outline" onClick={() => onChoose({ folder: true })}>
          <FolderOpenIcon aria-hidden />
          {t('requests.send.folder')}
        </Button>
      )}
      {touch && (
        <Button size="lg" variant="outline" onClick={() => onChoose({ camera: true })}>
          <CameraIcon aria-hidden />
          {t('requests.send.camera')}
        </Button>
      )}
    </Stack>
  );
}
