import { Box, Flex } from '@chakra-ui/react';
import type { Voice } from '@lightbox/contract/messages/voice.js';
import { MicrophoneSlashIcon } from '@phosphor-icons/react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { RecordedVoice } from './recorded';

const Player = lazy(async () => ({ default: (await import('./Player')).Player }));

/** The recording of a voice message, stored or still to be sent. */
export function VoiceMessage({ voice }: { voice: Voice | RecordedVoice }) {
  const { t } = useTranslation();
  if ('removed' in voice && voice.removed) {
    return (
      <Flex align="center" gap="2" data-voice="removed">
        <MicrophoneSlashIcon size={20} aria-hidden />
        {t('messages.voice.removed')}
      </Flex>
    );
  }
  return (
    <Suspense fallback={<Box h="touch" w="240px" maxW="full" />}>
      <Player voice={voice} />
    </Suspense>
  );
}
