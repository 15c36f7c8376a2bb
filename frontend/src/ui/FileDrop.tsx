import { Box, Button, FileUpload, Text } from '@chakra-ui/react';
import { UploadSimpleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';

/** The types that the file picker offers. A dropped file can have any type, so the screen checks the file again. */
const accept = {
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/png': ['.png'],
  'application/pdf': ['.pdf'],
  'application/dicom': ['.dcm', '.dicom'],
};

interface Props {
  /** Called with a chosen, dropped or pasted file, also when it is not allowed. */
  onFile: (file: File) => void;
  invalid?: boolean;
  maxBytes: number;
}

/** Accepts one file by drop, paste or file picker. The whole area reacts to the mouse, the button to the keyboard. */
export function FileDrop({ onFile, invalid = false, maxBytes }: Props) {
  const { t } = useTranslation();
  return (
    <FileUpload.Root
      maxFiles={1}
      accept={accept}
      acceptedFiles={[]}
      invalid={invalid}
      onFileChange={({ acceptedFiles, rejectedFiles }) => {
        const file = acceptedFiles[0] ?? rejectedFiles[0]?.file;
        if (file) onFile(file);
      }}
    >
      <FileUpload.HiddenInput />
      {/* The area is only a larger target for the mouse: the keyboard uses the button, so the area has no role and no focus. */}
      <FileUpload.Dropzone
        role="group"
        aria-label={t('app.drop.choose')}
        tabIndex={-1}
        w="full"
        minH="220px"
        gap="2"
        borderWidth="1.5px"
        borderStyle="dashed"
        borderRadius="card"
        borderColor={invalid ? 'border.error' : 'border.control'}
        bg="bg.surface"
        _dragging={{ bg: 'accent.subtle', borderColor: 'accent.fg' }}
      >
        <Box color="accent.fg">
          <UploadSimpleIcon size={44} weight="duotone" aria-hidden />
        </Box>
        <Text fontWeight="semibold">{t('app.drop.title')}</Text>
        <FileUpload.Trigger asChild>
          <Button variant="outline">{t('app.drop.choose')}</Button>
        </FileUpload.Trigger>
        <Text fontSize="xs" color="fg.muted">
          {t('app.drop.help', { max: formatBytes(maxBytes) })}
        </Text>
      </FileUpload.Dropzone>
    </FileUpload.Root>
  );
}
