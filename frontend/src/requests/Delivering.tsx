import { Box, Button, Stack, Text } from '@chakra-ui/react';
import { WarningCircleIcon, WifiSlashIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { Meter } from '../ui/Meter';
import { Note } from '../ui/Note';
import { isRunning, type Progress } from './delivery';

/** More names would fill the page. */
const namesShown = 8;

interface Props {
  progress: Progress;
  total: number;
  /** Of the person who asked. */
  name: string;
  onCancel: () => void;
  onHandOver: () => void;
  onRestart: () => void;
}

/** The progress of the sending, and the decision about files that were refused. */
export function Delivering({ progress, total, name, onCancel, onHandOver, onRestart }: Props) {
  const { t } = useTranslation();
  const { state, done, share, refused } = progress;
  const running = isRunning(progress);
  return (
    <Stack gap="4">
      {running && (
        <Box>
          <Text fontWeight="semibold" mb="2" fontVariantNumeric="tabular-nums">
            {t('requests.send.sending', { done, total })}
          </Text>
          <Meter value={share} label={t('requests.send.sending', { done, total })} />
        </Box>
      )}
      {(state === 'waiting' || state === 'busy') && (
        <Note Icon={WifiSlashIcon} tone="warning" role="status" title={t(`requests.send.${state}`)} />
      )}
      {state === 'full' && (
        <Note Icon={WarningCircleIcon} tone="danger" role="alert" title={t('requests.send.full', { name })} />
      )}
      {refused.length > 0 && (
        <Note
          Icon={WarningCircleIcon}
          tone="danger"
          role="alert"
          title={t('requests.send.refused', { count: refused.length })}
        >
          {refused.slice(0, namesShown).map(({ name: file, error }) => (
            <Text key={file} overflowWrap="anywhere">
              <bdi>{file}</bdi>: {errorText(error)}
            </Text>
          ))}
        </Note>
      )}
      {running ? (
        <Button variant="outline" size="lg" onClick={onCancel}>
          {t('requests.send.cancel')}
        </Button>
      ) : (
        <>
          {state === 'refused' && done > 0 && (
            <Button size="xl" onClick={onHandOver}>
              {t('requests.send.sendRest', { count: done })}
            </Button>
          )}
          <Button variant="outline" size="lg" onClick={onRestart}>
            {t('requests.send.other')}
          </Button>
        </>
      )}
    </Stack>
  );
}
