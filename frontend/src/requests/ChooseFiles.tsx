import { Button, Stack, Text } from '@chakra-ui/react';
import {
  CameraIcon,
  FileArrowUpIcon,
  FolderOpenIcon,
  LockKeyIcon,
  PaperPlaneTiltIcon,
  WarningCircleIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';
import { useMedia } from '../lib/useMedia';
import { Note } from '../ui/Note';
import { LeftOut } from '../uploads/LeftOut';
import { Reading } from '../uploads/Reading';
import { chooseFiles } from '../uploads/sources';
import type { useReadings } from '../uploads/useReadings';
import type { Parcel } from './delivery';

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

interface Props extends Pick<WaysProps, 'kind' | 'onRestart'> {
  /** Of the person who asked. */
  name: string;
  maxFiles: number;
  maxBytes: number;
  readings: ReturnType<typeof useReadings>;
  /** The chosen files that will be sent. */
  parcels: readonly Parcel[];
  /** Counts how often the sender began again. */
  round: number;
  onSend: () => void;
}

/** The choice of the files, the reasons against some of them, and the button that sends the rest. */
export function ChooseFiles({ kind, name, maxFiles, maxBytes, readings, parcels, round, onSend, onRestart }: Props) {
  const { t } = useTranslation();
  const { busy, done, total, omitted, refused, locked } = readings;
  const bytes = parcels.reduce((sum, { source }) => sum + source.size, 0);
  const tooMany = parcels.length > maxFiles;
  return (
    <>
      <Ways
        kind={kind}
        chosen={parcels.length > 0}
        onChoose={(how) => chooseFiles(how, (files) => void readings.add(files))}
        onRestart={onRestart}
      />
      {busy && <Reading done={done} total={total} text={t('requests.send.reading', { done, total })} />}
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
      {!busy && total > 0 && parcels.length === 0 && (
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
          <Button size="xl" disabled={busy || tooMany} onClick={onSend}>
            <PaperPlaneTiltIcon mirrored={document.dir === 'rtl'} aria-hidden />
            {t('requests.send.send')}
          </Button>
        </>
      )}
      <Text fontSize="sm" color="fg.muted">
        {t('requests.send.types', { max: formatBytes(maxBytes) })} {t('requests.send.private', { name })}
      </Text>
    </>
  );
}
