import { Box, Button, chakra, Flex, IconButton, Text } from '@chakra-ui/react';
import { messageCalls } from '@lightbox/contract/messages/calls.js';
import type { Voice } from '@lightbox/contract/messages/voice.js';
import { PauseIcon, PlayIcon } from '@phosphor-icons/react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../lib/errors';
import { formatNumber, ltr } from '../../lib/format';
import { ApiError, download } from '../../lib/http';
import { bytesOf, type RecordedVoice } from './recorded';
import { clockOf } from './time';

const speeds = [1, 1.5, 2] as const;
/** The recording that plays now: only one does. */
let playing: HTMLAudioElement | undefined;

async function bytesFrom(voice: Voice | RecordedVoice): Promise<Blob> {
  if ('data' in voice) return bytesOf(voice);
  const bytes = await download(messageCalls.getVoice, { params: { id: voice.id } });
  return new Blob([bytes], { type: voice.contentType });
}

/** Recorders do not write the length into the file. Without it the browser cannot go to a place in it. */
async function findLength(audio: HTMLAudioElement): Promise<void> {
  const event = (name: string) =>
    new Promise<void>((resolve, reject) => {
      audio.addEventListener(name, () => resolve(), { once: true });
      audio.addEventListener('error', () => reject(audio.error), { once: true });
    });
  if (audio.readyState < HTMLMediaElement.HAVE_METADATA) await event('loadedmetadata');
  if (audio.duration !== Number.POSITIVE_INFINITY) return;
  const known = event('durationchange');
  audio.currentTime = Number.MAX_SAFE_INTEGER;
  await known;
}

/** Plays a recording: play and pause, place, length, speed. Its bytes are read when it is played for the first time. */
export function Player({ voice }: { voice: Voice | RecordedVoice }) {
  const { t } = useTranslation();
  const audio = useRef<HTMLAudioElement>(null);
  const address = useRef('');
  const [state, setState] = useState<'still' | 'loading' | 'playing'>('still');
  const [at, setAt] = useState(0);
  const [speed, setSpeed] = useState<(typeof speeds)[number]>(1);
  const [fault, setFault] = useState<string>();
  const faultId = useId();
  const { seconds } = voice;

  useEffect(
    () => () => {
      audio.current?.pause();
      if (address.current) URL.revokeObjectURL(address.current);
    },
    [],
  );

  const play = async () => {
    const { current } = audio;
    if (!current || state === 'loading') return;
    setFault(undefined);
    // The message may leave the screen during each wait. Then it does not sound.
    try {
      if (!address.current) {
        setState('loading');
        const bytes = await bytesFrom(voice);
        if (audio.current !== current) return;
        address.current = URL.createObjectURL(bytes);
        current.src = address.current;
        await findLength(current);
        if (audio.current !== current) return;
        current.currentTime = at;
      }
      if (playing !== current) playing?.pause();
      playing = current;
      current.playbackRate = speed;
      await current.play();
    } catch (error) {
      setState('still');
      if (error instanceof DOMException && error.name === 'AbortError') return;
      const isGone = error instanceof ApiError && error.code === 'NOT_FOUND';
      setFault(isGone || !(error instanceof ApiError) ? t('messages.voice.cannotPlay') : errorText(error));
    }
  };
  const goTo = (place: number) => {
    setAt(place);
    if (audio.current && address.current) audio.current.currentTime = place;
  };
  const turn = () => {
    const next = speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1;
    setSpeed(next);
    if (audio.current) audio.current.playbackRate = next;
  };

  const shown = Math.min(at, seconds);
  const isPlaying = state === 'playing';
  return (
    <Box w="260px" maxW="full" role="group" aria-label={t('messages.voice.message')} data-voice={state}>
      {/* biome-ignore lint/a11y/useMediaCaption: a spoken message has no captions */}
      <audio
        ref={audio}
        onPlay={() => setState('playing')}
        onPause={() => setState('still')}
        onEnded={() => goTo(0)}
        onTimeUpdate={({ currentTarget }) => state === 'playing' && setAt(currentTarget.currentTime)}
      />
      <Flex align="center" gap="1.5">
        <IconButton
          type="button"
          variant="ghost"
          color="inherit"
          boxSize="touch"
          minW="touch"
          borderRadius="full"
          _hover={{ bg: 'transparent', opacity: '.8' }}
          aria-label={t(isPlaying ? 'messages.voice.pause' : 'messages.voice.play')}
          {...(fault && { 'aria-describedby': faultId })}
          loading={state === 'loading'}
          onClick={() => (isPlaying ? audio.current?.pause() : void play())}
        >
          {isPlaying ? <PauseIcon weight="fill" /> : <PlayIcon weight="fill" />}
        </IconButton>
        <chakra.input
          type="range"
          flex="1"
          minW="0"
          h="touch"
          css={{ accentColor: 'currentColor' }}
          cursor="pointer"
          min={0}
          max={seconds}
          step={seconds > 20 ? 1 : 0.1}
          value={shown}
          aria-label={t('messages.voice.place')}
          aria-valuetext={t('messages.voice.at', { at: clockOf(shown), length: clockOf(seconds) })}
          onChange={(event) => goTo(Number(event.target.value))}
        />
        <Text as="span" fontSize="xs" fontVariantNumeric="tabular-nums" aria-hidden data-clock>
          {ltr(clockOf(isPlaying || at > 0 ? shown : seconds))}
        </Text>
        <Button
          type="button"
          variant="ghost"
          color="inherit"
          size="sm"
          minW="11"
          h="touch"
          px="0"
          _hover={{ bg: 'transparent', opacity: '.8' }}
          aria-label={t('messages.voice.speed', { speed: formatNumber(speed) })}
          onClick={turn}
        >
          {ltr(`${formatNumber(speed)}×`)}
        </Button>
      </Flex>
      {fault && (
        <Text id={faultId} role="alert" fontSize="xs" mb="1">
          {fault}
        </Text>
      )}
    </Box>
  );
}
