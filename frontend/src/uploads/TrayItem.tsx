import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import {
  ArrowClockwiseIcon,
  CheckCircleIcon,
  CircleDashedIcon,
  CopySimpleIcon,
  type Icon,
  UploadSimpleIcon,
  WarningCircleIcon,
  XIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { said } from '../i18n';
import { errorText } from '../lib/errors';
import { formatPercent } from '../lib/format';
import { ApiError } from '../lib/http';
import { paths } from '../lib/paths';
import { Meter } from '../ui/Meter';
import { cancelUpload, retryUploads, uploadAgain } from './queue';
import type { Item, ItemState } from './tray';

const faces: Record<ItemState, { Icon: Icon; color: string }> = {
  waiting: { Icon: CircleDashedIcon, color: 'fg.muted' },
  checking: { Icon: CircleDashedIcon, color: 'fg.muted' },
  sending: { Icon: UploadSimpleIcon, color: 'accent.fg' },
  storing: { Icon: UploadSimpleIcon, color: 'accent.fg' },
  done: { Icon: CheckCircleIcon, color: 'success.fg' },
  known: { Icon: CopySimpleIcon, color: 'warning.fg' },
  held: { Icon: CircleDashedIcon, color: 'warning.fg' },
  failed: { Icon: WarningCircleIcon, color: 'danger.fg' },
};

function useWords({ state, progress, error }: Item): string {
  const { t } = useTranslation();
  if (state === 'sending')
    return `${t('uploads.tray.state.sending')} · ${formatPercent(Math.floor(progress * 100) / 100)}`;
  if (state !== 'failed') return t(`uploads.tray.state.${state}`);
  if (!(error instanceof ApiError)) return t('uploads.tray.lost');
  // The row is about the file, so the name of the field says nothing more.
  const ofFile = error.errors.filter(({ field }) => field === 'file').map(({ message }) => said(message));
  return ofFile.join('\n') || errorText(error, t('images.form.failed'));
}

/** One file in the tray: its state in words, and the acts that are possible now. */
export function TrayItem({ item }: { item: Item }) {
  const { t } = useTranslation();
  const { id, name, state, imageId } = item;
  const { Icon, color } = faces[state];
  const words = useWords(item);
  const over = state === 'done' || state === 'known' || state === 'failed';
  return (
    <Flex as="li" gap="2.5" py="1.5" align="flex-start" data-upload={state}>
      <Box color={color} flex="none" mt="0.5">
        <Icon size={20} weight={state === 'done' ? 'fill' : 'regular'} aria-hidden />
      </Box>
      <Box minW="0" flex="1">
        <Text fontSize="sm" fontWeight="medium" truncate>
          <bdi>{name}</bdi>
        </Text>
        <Text fontSize="xs" color={state === 'failed' ? 'fg.error' : 'fg.muted'} overflowWrap="anywhere">
          {words}
        </Text>
        {state === 'sending' && (
          <Box mt="1">
            <Meter value={item.progress} label={t('uploads.tray.progressOf', { name })} />
          </Box>
        )}
        {state === 'known' && (
          <Flex gap="2" mt="1" wrap="wrap">
            <Button asChild size="xs" variant="outline">
              <Link to={paths.image(imageId ?? '')} aria-label={t('uploads.tray.openThis', { name })}>
                {t('uploads.tray.open')}
              </Link>
            </Button>
            <Button
              size="xs"
              variant="outline"
              aria-label={t('uploads.tray.againThis', { name })}
              onClick={() => uploadAgain(id)}
            >
              {t('uploads.tray.again')}
            </Button>
          </Flex>
        )}
      </Box>
      {state === 'failed' && (
        <IconButton
          size="sm"
          variant="ghost"
          aria-label={t('uploads.tray.retry', { name })}
          onClick={() => retryUploads(id)}
        >
          <ArrowClockwiseIcon />
        </IconButton>
      )}
      <IconButton
        size="sm"
        variant="ghost"
        aria-label={t(over ? 'uploads.tray.remove' : 'uploads.tray.cancel', { name })}
        onClick={() => cancelUpload(id)}
      >
        <XIcon />
      </IconButton>
    </Flex>
  );
}
