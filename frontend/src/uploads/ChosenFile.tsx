import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import { FileIcon, FileImageIcon, FilePdfIcon, FileXIcon, ScanIcon, XIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatPercent } from '../lib/format';
import { useObjectUrl } from '../lib/useObjectUrl';
import { Film, PdfWell } from '../ui/ImageWell';
import { Meter } from '../ui/Meter';
import { Tooltip } from '../ui/Tooltip';
import { kindOf } from './checkFile';

const icons = { picture: FileImageIcon, pdf: FilePdfIcon, dicom: FileIcon };

/** Shows the picture before the upload; for other files the type. */
export function FilePreview({ file }: { file: File }) {
  const { t } = useTranslation();
  const kind = kindOf(file);
  const url = useObjectUrl(kind === 'picture' ? file : undefined);
  if (kind === 'picture') return url && <Film src={url} alt={t('images.form.previewAlt', { name: file.name })} />;
  if (kind === 'pdf') return <PdfWell />;
  return (
    <Flex
      aspectRatio="4 / 3"
      borderRadius="6px"
      bg="film.bg"
      color="film.muted"
      direction="column"
      align="center"
      justify="center"
      gap="2"
      textAlign="center"
      p="4"
    >
      <ScanIcon size={44} weight="duotone" aria-hidden />
      <Text fontFamily="mono" color="film.text">
        {t('app.well.dicom')}
      </Text>
      <Text fontSize="sm">{t('images.form.dicomSoon')}</Text>
    </Flex>
  );
}

interface Props {
  file: File;
  /** The fault of the file. */
  error?: string | undefined;
  help?: string | undefined;
  /** 0…1 during the upload. */
  progress?: number | undefined;
  onCancel: () => void;
  onChange: () => void;
}

/** Shows a chosen file: its name, its size or progress, and one button. */
export function ChosenFile({ file, error, help, progress, onCancel, onChange }: Props) {
  const { t } = useTranslation();
  const sending = progress !== undefined;
  const Icon = error ? FileXIcon : icons[kindOf(file)];
  const sent = sending && progress >= 1;
  return (
    <Flex
      gap="3"
      align="center"
      px="3.5"
      py="3"
      borderWidth="1px"
      borderRadius="box"
      bg="bg.surface"
      borderColor={error ? 'border.error' : 'border'}
    >
      <Box color={error ? 'danger.fg' : 'fg.muted'} flex="none" alignSelf="flex-start" mt="1px">
        <Icon size={22} aria-hidden />
      </Box>
      <Box flex="1" minW="0">
        <Flex gap="3" align="baseline">
          <Text fontWeight="semibold" fontSize=".9375rem" truncate flex="1">
            <bdi>{file.name}</bdi>
          </Text>
          {sending && !sent && (
            <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
              {formatPercent(Math.floor(progress * 100) / 100)}
            </Text>
          )}
        </Flex>
        {error && (
          <Text color="fg.error" fontSize="sm" fontWeight="medium" role="alert">
            {error}
          </Text>
        )}
        {sending ? (
          <Box mt="2">
            <Meter value={progress} label={t('images.form.progress')} />
            {sent && (
              <Text fontSize="xs" color="fg.muted" mt="1.5" role="status">
                {t('images.form.checking')}
              </Text>
            )}
          </Box>
        ) : (
          <Text fontSize="xs" color="fg.muted">
            {help ?? formatBytes(file.size)}
          </Text>
        )}
      </Box>
      {sending ? (
        <Tooltip content={t('images.form.cancel')}>
          <IconButton size="sm" variant="ghost" aria-label={t('images.form.cancel')} onClick={onCancel}>
            <XIcon />
          </IconButton>
        </Tooltip>
      ) : (
        <Button size="sm" variant="outline" onClick={onChange}>
          {t('images.form.change')}
        </Button>
      )}
    </Flex>
  );
}
