import { Box, Button, Flex, Grid, Text } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { Caption } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { inMegabytes } from '@lightbox/contract/texts.js';
import { InfoIcon, UploadSimpleIcon, WarningCircleIcon } from '@phosphor-icons/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { z } from 'zod';
import { errorText } from '../lib/errors';
import { formatBytes } from '../lib/format';
import { ApiError } from '../lib/http';
import { paths } from '../lib/paths';
import { usePublicSettings } from '../lib/publicSettings';
import { TextField } from '../ui/Field';
import { FileDrop } from '../ui/FileDrop';
import { Note } from '../ui/Note';
import { Page } from '../ui/Page';
import type { Person } from '../users/PersonSearch';
import { ChosenFile, FilePreview } from './ChosenFile';
import { type FileFault, faultOf } from './checkFile';
import { PatientPicker } from './PatientPicker';
import { useUpload, wasCancelled } from './useUpload';

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

interface Chosen {
  file: File;
  fault?: FileFault;
  /** The server's message about the file. */
  refusal?: string;
}

/** Calls `onFile` with a file that the user pastes anywhere on the page. */
function usePastedFile(onFile: (file: File) => void, enabled: boolean) {
  const latest = useRef(onFile);
  latest.current = onFile;
  useEffect(() => {
    if (!enabled) return;
    const onPaste = (event: ClipboardEvent) => {
      const file = event.clipboardData?.files[0];
      if (!file) return;
      event.preventDefault();
      latest.current(file);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, [enabled]);
}

function useChosenFile() {
  const { t } = useTranslation();
  const maxBytes = usePublicSettings()['upload.maxBytes'];
  const [chosen, setChosen] = useState<Chosen>();
  const [missing, setMissing] = useState(false);
  const judge = useCallback(
    async (file: File) => {
      const fault = await faultOf(file, maxBytes);
      setChosen({ file, ...(fault && { fault }) });
    },
    [maxBytes],
  );
  // The limit may change while the user writes the caption: check the chosen file again.
  const file = chosen?.file;
  const judged = useRef(maxBytes);
  useEffect(() => {
    if (judged.current !== maxBytes && file) void judge(file);
    judged.current = maxBytes;
  }, [maxBytes, file, judge]);
  const words: Record<FileFault, () => { fault: string; help: string }> = {
    size: () => ({
      fault: t('images.form.fileSize', { mb: inMegabytes(maxBytes) }),
      help: t('images.form.sizeHelp', { size: formatBytes(chosen?.file.size ?? 0) }),
    }),
    type: () => ({ fault: t('images.form.fileType'), help: t('images.form.typeHelp') }),
  };
  const said = chosen?.fault ? words[chosen.fault]() : { fault: chosen?.refusal, help: undefined };
  return {
    chosen: chosen && { file: chosen.file, ...said },
    maxBytes,
    missing,
    choose: (chosenFile: File) => {
      setMissing(false);
      void judge(chosenFile);
    },
    drop: () => setChosen(undefined),
    miss: () => setMissing(true),
    refuse: (refusal: string) => setChosen((now) => now && { file: now.file, refusal }),
  };
}

interface FileCardProps {
  file: ReturnType<typeof useChosenFile>;
  upload: ReturnType<typeof useUpload>;
}

/** Shows the file: chosen, refused, missing or uploading. */
function FileCard({ file, upload }: FileCardProps) {
  const { t } = useTranslation();
  const { chosen } = file;
  return (
    <Box layerStyle="card" p={{ base: '4', lg: '5' }}>
      <Text fontSize="sm" fontWeight="semibold" mb="2">
        {t('images.form.file')}
      </Text>
      <Flex direction="column" gap="3">
        {chosen && !chosen.fault ? (
          <FilePreview file={chosen.file} />
        ) : (
          <FileDrop maxBytes={file.maxBytes} onFile={file.choose} invalid={file.missing || Boolean(chosen?.fault)} />
        )}
        {chosen ? (
          <ChosenFile
            file={chosen.file}
            error={chosen.fault}
            help={chosen.help}
            progress={upload.isPending ? upload.progress : undefined}
            onCancel={upload.cancel}
            onChange={file.drop}
          />
        ) : file.missing ? (
          <Flex gap="1.5" color="fg.error" fontSize=".84375rem" fontWeight="medium" role="alert">
            <WarningCircleIcon size={17} aria-hidden style={{ flex: 'none', marginTop: 1 }} />
            {t('images.form.fileRequired')}
          </Flex>
        ) : (
          <Text fontSize="xs" color="fg.muted">
            {t('images.form.pasteHint')}
          </Text>
        )}
      </Flex>
    </Box>
  );
}

type Trouble = { cancelled: true } | { cancelled: false; text: string };

/** The screen "Upload Medical Image": a file, a caption and a patient. */
export function Upload() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const file = useChosenFile();
  const { chosen, miss } = file;
  const [patient, setPatient] = useState<Person>();
  const [patientFault, setPatientFault] = useState<string>();
  const [trouble, setTrouble] = useState<Trouble>();
  const upload = useUpload();
  const { register, handleSubmit, setError, formState } = useForm<Fields>({
    resolver: zodResolver(fields),
    defaultValues: { caption: '' },
  });
  usePastedFile(file.choose, !upload.isPending);

  function explain(error: unknown) {
    if (wasCancelled(error)) return setTrouble({ cancelled: true });
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
    const vague = !known || known.code === 'INTERNAL' || known.code === 'UNKNOWN';
    setTrouble({ cancelled: false, text: vague ? t('images.form.failed') : errorText(known) });
  }

  const submit = handleSubmit(
    ({ caption }) => {
      setTrouble(undefined);
      setPatientFault(undefined);
      if (!chosen) return miss();
      if (chosen.fault) return;
      upload.mutate(
        { file: chosen.file, caption, patientId: patient?.id },
        { onSuccess: () => navigate(paths.viewImages), onError: explain },
      );
    },
    // Show both faults at once, not one after the other.
    () => !chosen && miss(),
  );

  return (
    <Page title={t('images.form.title')} sub={t('images.form.sub')}>
      <Grid
        as="form"
        onSubmit={submit}
        {...{ noValidate: true }}
        templateColumns={{ base: 'minmax(0, 1fr)', lg: 'minmax(0, 1.15fr) minmax(0, 1fr)' }}
        gap={{ base: '5', lg: '6' }}
        maxW="1080px"
        alignItems="start"
      >
        <FileCard file={file} upload={upload} />
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
            onChoose={(person) => {
              setPatient(person);
              setPatientFault(undefined);
            }}
            error={patientFault}
            disabled={upload.isPending}
          />
          {trouble?.cancelled && <Note Icon={InfoIcon} title={t('images.form.cancelled')} role="status" />}
          {trouble?.cancelled === false && (
            <Note Icon={WarningCircleIcon} tone="danger" title={trouble.text} role="alert">
              {t('images.form.kept')}
            </Note>
          )}
          <Button type="submit" size="lg" loading={upload.isPending} loadingText={t('images.form.uploading')}>
            <UploadSimpleIcon />
            {trouble?.cancelled === false ? t('common.retry') : t('images.form.submit')}
          </Button>
        </Flex>
      </Grid>
    </Page>
  );
}
