import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { PauseCircleIcon } from '@phosphor-icons/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatWhen } from '../lib/format';
import { addUploads } from './queue';
import { hashOf } from './reader';
import { findInterrupted, type Unfinished } from './resumable';
import { chooseFiles, fromFile } from './sources';

/** An upload that ended with an earlier page. It goes on with the same file, which only the person can give. */
export function Interrupted({ upload }: { upload: Unfinished }) {
  const { t } = useTranslation();
  const [state, setState] = useState<'idle' | 'checking' | 'other'>('idle');

  async function goOn([file]: File[]) {
    if (!file) return;
    setState('checking');
    const same = file.size === upload.size && (await hashOf(file).catch(() => '')) === upload.hash;
    if (!same) return setState('other');
    const files = [{ source: fromFile(file), caption: '' }];
    addUploads({ title: t('uploads.unfinished.name'), files, begun: upload });
  }

  async function discard() {
    await (await import('./tus')).abandon(upload);
    await findInterrupted();
  }

  return (
    <Flex gap="2.5" align="flex-start">
      <Box color="warning.fg" flex="none" mt="0.5">
        <PauseCircleIcon size={20} aria-hidden />
      </Box>
      <Box minW="0" flex="1">
        <Text fontSize="sm" fontWeight="semibold">
          {t('uploads.unfinished.title')}
        </Text>
        <Text fontSize="sm" color="fg.muted">
          {t('uploads.unfinished.text', { size: formatBytes(upload.size), when: formatWhen(upload.at) })}
        </Text>
        {state === 'other' && (
          <Text fontSize="sm" color="fg.error" role="alert">
            {t('uploads.unfinished.other')}
          </Text>
        )}
        <Flex gap="2" mt="2" wrap="wrap">
          <Button size="sm" variant="outline" onClick={() => void discard()}>
            {t('uploads.unfinished.discard')}
          </Button>
          <Button
            size="sm"
            loading={state === 'checking'}
            loadingText={t('uploads.unfinished.checking')}
            onClick={() => chooseFiles({}, (files) => void goOn(files))}
          >
            {t('uploads.unfinished.choose')}
          </Button>
        </Flex>
      </Box>
    </Flex>
  );
}
