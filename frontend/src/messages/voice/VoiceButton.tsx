import { IconButton } from '@chakra-ui/react';
import { MicrophoneIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Tooltip } from '../../ui/Tooltip';
import { recordingType } from './recorded';

/** Begins a voice message. Absent where the browser cannot record. */
export function VoiceButton({ onRecord }: { onRecord: () => void }) {
  const { t } = useTranslation();
  if (!recordingType()) return null;
  return (
    <Tooltip content={t('messages.voice.record')}>
      <IconButton
        type="button"
        variant="ghost"
        aria-label={t('messages.voice.record')}
        boxSize="46px"
        minW="46px"
        borderRadius="full"
        flex="none"
        onClick={onRecord}
        data-record
      >
        <MicrophoneIcon />
      </IconButton>
    </Tooltip>
  );
}
