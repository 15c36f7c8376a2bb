import { Box, Flex, IconButton, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { PaperPlaneRightIcon, TrashIcon, WarningCircleIcon, XIcon } from '@phosphor-icons/react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ltr } from '../../lib/format';
import { postVoice } from '../outbox';
import { clockOf } from './time';
import { useRecorder } from './useRecorder';

interface Props {
  userId: string;
  onClose: () => void;
}

const round = { boxSize: '46px', minW: '46px', borderRadius: 'full', flex: 'none' } as const;

/** Takes the place of the message field while a voice message is recorded: time, level, cancel, send. */
export function Recorder({ userId, onClose }: Props) {
  const { t } = useTranslation();
  const meter = useRef<HTMLDivElement>(null);
  const { state, seconds, take } = useRecorder(meter);
  const [sending, setSending] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const fault = typeof state === 'object' ? state.fault : undefined;
  const ready = state === 'recording' || state === 'full';
  // biome-ignore lint/correctness/useExhaustiveDependencies: another button takes the place of the focused one
  useEffect(() => first.current?.focus(), [ready, fault]);

  const finish = async () => {
    setSending(true);
    const voice = await take();
    setSending(false);
    if (!voice) return;
    postVoice(userId, voice);
    onClose();
  };

  return (
    <Flex
      role="group"
      aria-label={t('messages.voice.recording')}
      position="absolute"
      inset="0"
      align="center"
      gap={{ base: '1', lg: '2.5' }}
      bg={{ base: 'bg', lg: 'bg.panel' }}
      borderRadius="23px"
      data-recorder={fault ?? String(state)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <IconButton
        {...round}
        ref={ready ? undefined : first}
        type="button"
        variant="ghost"
        aria-label={t(fault ? 'messages.voice.close' : 'messages.voice.cancel')}
        onClick={onClose}
      >
        {fault ? <XIcon /> : <TrashIcon />}
      </IconButton>
      {fault ? (
        <Flex align="center" gap="2" flex="1" minW="0" color="fg.error" fontSize="sm" lineHeight="1.3" role="alert">
          <WarningCircleIcon size={20} aria-hidden style={{ flex: 'none' }} />
          {t(`messages.voice.fault.${fault}`)}
        </Flex>
      ) : (
        <>
          <Box boxSize="10px" flex="none" borderRadius="full" bg={state === 'recording' ? 'danger.fg' : 'fg.muted'} />
          <Text as="span" fontVariantNumeric="tabular-nums" whiteSpace="nowrap" data-clock>
            {ltr(`${clockOf(seconds)} / ${clockOf(limits.voiceSeconds)}`)}
          </Text>
          <Box flex="1" minW="0" h="8px" borderRadius="full" bg="bg.muted" overflow="hidden" aria-hidden>
            <Box
              ref={meter}
              h="full"
              borderRadius="full"
              bg="accent.solid"
              css={{ width: 'calc(var(--level, 0) * 100%)' }}
            />
          </Box>
          <Text as="span" srOnly role="status">
            {state === 'asking'
              ? t('messages.voice.asking')
              : t(state === 'full' ? 'messages.voice.full' : 'messages.voice.recording')}
          </Text>
          <IconButton
            {...round}
            ref={ready ? first : undefined}
            type="button"
            aria-label={t('messages.voice.send')}
            disabled={!ready}
            loading={sending}
            onClick={() => void finish()}
          >
            <PaperPlaneRightIcon weight="fill" mirrored={document.dir === 'rtl'} />
          </IconButton>
        </>
      )}
    </Flex>
  );
}
