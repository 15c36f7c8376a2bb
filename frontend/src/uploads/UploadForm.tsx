import { Button, Flex, Grid } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { Caption } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { InfoIcon, UploadSimpleIcon, WarningCircleIcon, WifiSlashIcon } from '@phosphor-icons/react';
import { useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { z } from 'zod';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { TextField } from '../ui/Field';
import { Note } from '../ui/Note';
import type { Person } from '../users/PersonSearch';
import { FileCard } from './FileCard';
import { KnownNote } from './KnownNote';
import { MismatchNote } from './MismatchNote';
import { PatientPicker } from './PatientPicker';
import type { useChosenFile } from './useChosenFile';
import { usePatientText } from './usePatientText';
import { useUpload } from './useUpload';

const fields = z.object({ caption: Caption });
type Fields = z.infer<typeof fields>;

/** The error codes about the file. Their messages are shown beside it. */
const fileCodes = new Set([
  'FILE_TOO_LARGE',
  'UNSUPPORTED_TYPE',
  'UNREADABLE_FILE',
  'TOO_MANY_PIXELS',
  'MALFORMED_UPLOAD',
]);

type Trouble = { cancelled: true } | { cancelled: false; text: string };

interface Props {
  file: ReturnType<typeof useChosenFile>;
  /** Called with the files that the person chooses or drops. */
  onFiles: (files: File[]) => void;
}

/** The form for one file: file, caption and patient. */
export function UploadForm({ file, onFiles }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { chosen, miss } = file;
  const [patient, setPatient] = useState<Person>();
  const [patientFault, setPatientFault] = useState<string>();
  const { patientText, isOpen } = usePatientText();
  const [trouble, setTrouble] = useState<Trouble>();
  const upload = useUpload();
  const { item, drop, group } = upload;
  const [sentFor, setSentFor] = useState<Person>();
  // The form takes the patient over when the upload gets another one. Later the person may choose again.
  if (group && group.patient?.id !== sentFor?.id) {
    setSentFor(group.patient);
    setPatient(group.patient);
  }
  const isHeld = item?.state === 'held';
  const { register, handleSubmit, setError, formState } = useForm<Fields>({
    resolver: zodResolver(fields),
    defaultValues: { caption: '' },
  });

  function explain(error: unknown) {
    const known = error instanceof ApiError ? error : undefined;
    const rest = (known?.errors ?? []).filter(({ field, message }) => {
      if (field === 'caption') setError('caption', { message }, { shouldFocus: true });
      else if (field === 'patientId') setPatientFault(message);
      else if (field === 'file') file.refuse(message);
      else return true;
      return false;
    });
    if (known?.errors.length && rest.length === 0) return;
    if (known && fileCodes.has(known.code)) return file.refuse(errorText(error));
    setTrouble({ cancelled: false, text: errorText(error, t('images.form.failed')) });
  }

  // The queue sends the file. The form reacts when its state changes, or when it has failed anew before the form was drawn.
  const state = item?.state;
  const error = item?.error;
  const before = useRef({ state, error });
  useEffect(() => {
    if (state === before.current.state && error === before.current.error) return;
    const { state: was } = before.current;
    before.current = { state, error };
    if (item?.state === 'done') {
      toast.success(t('images.form.done'), { description: item.caption });
      drop();
      navigate(paths.viewImages);
    } else if (state === 'failed') explain(error);
    else if (!state && was && was !== 'done' && was !== 'failed' && was !== 'known') setTrouble({ cancelled: true });
  });

  /** Sends what the form shows now, also when the person may have changed it since a question about the file. */
  const submit = (again: boolean) =>
    handleSubmit(
      ({ caption }) => {
        setTrouble(undefined);
        setPatientFault(undefined);
        const open = isOpen();
        if (!chosen) return miss();
        if (chosen.fault || open) return;
        upload.start({ file: chosen.file, caption, patient }, again);
      },
      // Show both faults at once, not one after the other.
      () => {
        isOpen();
        if (!chosen) miss();
      },
    );

  const change = () => {
    file.drop();
    drop();
    setTrouble(undefined);
  };

  return (
    <Grid
      as="form"
      onSubmit={submit(false)}
      {...{ noValidate: true }}
      templateColumns={{ base: 'minmax(0, 1fr)', lg: 'minmax(0, 1.15fr) minmax(0, 1fr)' }}
      gap={{ base: '5', lg: '6' }}
      maxW="1080px"
      alignItems="start"
    >
      <FileCard file={file} upload={upload} onFiles={onFiles} onCancel={drop} onChange={change} />
      <Flex direction="column" gap="block" layerStyle="card" p={{ base: '4', lg: '5' }}>
        <TextField
          label={t('images.form.caption')}
          help={t('images.form.captionHelp')}
          error={formState.errors.caption?.message}
          maxLength={limits.captionLength}
          dir="auto"
          disabled={upload.isPending}
          {...register('caption')}
        />
        <PatientPicker
          chosen={patient}
          text={patientText}
          onChoose={(person) => {
            setPatient(person);
            setPatientFault(undefined);
          }}
          error={patientFault}
          disabled={upload.isPending}
        />
        {item?.state === 'known' && upload.file === chosen?.file && (
          <KnownNote imageId={item.imageId} onAgain={submit(true)} />
        )}
        {isHeld && <MismatchNote groupId={item.groupId} />}
        {upload.isPending && upload.waitingFor && (
          <Note Icon={WifiSlashIcon} tone="warning" title={t(`uploads.tray.${upload.waitingFor}`)} role="status">
            {t(`uploads.tray.${upload.waitingFor}Text`)}
          </Note>
        )}
        {trouble?.cancelled && <Note Icon={InfoIcon} title={t('images.form.cancelled')} role="status" />}
        {trouble?.cancelled === false && (
          <Note Icon={WarningCircleIcon} tone="danger" title={trouble.text} role="alert">
            {t('images.form.kept')}
          </Note>
        )}
        <Button
          type="submit"
          size="lg"
          disabled={isHeld}
          loading={upload.isPending && !isHeld}
          loadingText={t('images.form.uploading')}
        >
          <UploadSimpleIcon />
          {trouble?.cancelled === false ? t('common.retry') : t('images.form.submit')}
        </Button>
      </Flex>
    </Grid>
  );
}
