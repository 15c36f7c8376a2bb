import { Box, Flex, Text } from '@chakra-ui/react';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { FileDrop } from '../ui/FileDrop';
import { ChosenFile, FilePreview } from './ChosenFile';
import { MoreWays } from './MoreWays';
import { droppedFiles } from './sources';
import type { useChosenFile } from './useChosenFile';
import type { useUpload } from './useUpload';

interface Props {
  file: ReturnType<typeof useChosenFile>;
  upload: ReturnType<typeof useUpload>;
  onFiles: (files: File[]) => void;
  onCancel: () => void;
  onChange: () => void;
}

/** Shows the file: chosen, refused, missing or uploading. */
export function FileCard({ file, upload, onFiles, onCancel, onChange }: Props) {
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
          <FileDrop
            maxBytes={file.maxBytes}
            onFiles={onFiles}
            onDropped={(transfer) => void droppedFiles(transfer).then(onFiles)}
            invalid={file.missing || Boolean(chosen?.fault)}
          >
            <MoreWays onFiles={onFiles} />
          </FileDrop>
        )}
        {chosen ? (
          <ChosenFile
            file={chosen.file}
            error={chosen.fault}
            help={chosen.help}
            progress={upload.isPending ? upload.item?.progress : undefined}
            onCancel={onCancel}
            onChange={onChange}
          />
        ) : file.missing ? (
          <Flex gap="1.5" color="fg.error" fontSize=".84375rem" fontWeight="medium" role="alert">
            <WarningCircleIcon size={17} aria-hidden style={{ flex: 'none', marginTop: 1 }} />
            {t('images.form.fileRequired')}
          </Flex>
        ) : (
          <Text fontSize="xs" color="fg.muted">
            {t('uploads.choose.hint')}
          </Text>
        )}
      </Flex>
    </Box>
  );
}
