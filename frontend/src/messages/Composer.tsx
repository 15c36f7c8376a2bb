import { Box, chakra, Flex, IconButton, Text, Textarea } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { PaperPlaneRightIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnected } from '../lib/useConnected';
import { useMedia } from '../lib/useMedia';
import { AttachButton } from './AttachButton';
import { EmojiButton } from './emoji/EmojiButton';
import { attachedAtom, keepAttached, keepPinned, pinnedAtom, post } from './outbox';
import { PinnedChip } from './Pinned';
import { Answering } from './reply/Answering';
import { reportTyping } from './typing';
import { useDraft } from './useDraft';
import { VoiceButton } from './voice/VoiceButton';
import { LengthNote, sendsOn } from './writing';

const Chosen = lazy(async () => ({ default: (await import('./Chosen')).Chosen }));
const Recorder = lazy(async () => ({ default: (await import('./voice/Recorder')).Recorder }));

const noImages: readonly string[] = [];

interface Props {
  userId: string;
  name: string;
  waiting: boolean;
}

/** The field for a new message. Mounted per chat. */
export function Composer({ userId, name, waiting }: Props) {
  const { t } = useTranslation();
  const [text, write] = useDraft(userId);
  const [error, setError] = useState<string>();
  const images = useAtomValue(attachedAtom)[userId] ?? noImages;
  const view = useAtomValue(pinnedAtom)[userId];
  const [recording, setRecording] = useState(false);
  const recorded = () => {
    setRecording(false);
    // The field takes no focus while the recorder covers it.
    setTimeout(() => field.current?.focus());
  };
  const field = useRef<HTMLTextAreaElement>(null);
  const note = useId();
  const connected = useConnected();
  // No focus on touch screens: the on-screen keyboard would cover the messages.
  const mouse = useMedia('(pointer: fine)');
  useEffect(() => {
    if (mouse) field.current?.focus({ preventScroll: true });
  }, [mouse]);

  const change = (to: string) => {
    write(to);
    setError(undefined);
    if (to.trim()) reportTyping(userId);
  };
  const submit = () => {
    field.current?.focus();
    const fault = post(userId, text, images, view);
    if (fault) return setError(fault);
    if (!text.trim() && images.length === 0 && !view) return;
    keepAttached(userId, []);
    keepPinned(userId);
    change('');
  };

  const over = text.trim().length > limits.messageLength;
  return (
    <chakra.form
      flex="none"
      px={{ base: '2.5', lg: 'block' }}
      pt={{ base: '2.5', lg: '3' }}
      pb={{ base: 'calc(14px + env(safe-area-inset-bottom))', lg: '4' }}
      borderTopWidth="1px"
      borderColor="border"
      bg={{ base: 'bg', lg: 'transparent' }}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Answering userId={userId} name={name} field={field} />
      <Suspense fallback={null}>
        {images.length > 0 && (
          <Chosen
            userId={userId}
            name={name}
            images={images}
            onRemove={(id) => {
              keepAttached(
                userId,
                images.filter((one) => one !== id),
              );
              field.current?.focus();
            }}
          />
        )}
      </Suspense>
      <PinnedChip view={view} onRemove={() => keepPinned(userId)} />
      <Flex
        gap={{ base: '1', lg: '2.5' }}
        align="flex-end"
        position="relative"
        css={recording ? { '& > :not([data-recorder])': { visibility: 'hidden' } } : {}}
      >
        <AttachButton userId={userId} images={images} field={field} />
        <Textarea
          ref={field}
          data-composer
          rows={1}
          autoresize
          dir="auto"
          aria-label={t('messages.writeTo', { name })}
          aria-describedby={note}
          aria-invalid={over || Boolean(error)}
          placeholder={t('messages.write')}
          enterKeyHint="send"
          value={text}
          onChange={(event) => change(event.target.value)}
          onKeyDown={(event) => {
            if (!sendsOn(event)) return;
            event.preventDefault();
            submit();
          }}
          flex="1"
          minH="46px"
          maxH="160px"
          py="11px"
          px="4.5"
          borderRadius="23px"
          fontSize={{ base: 'md', lg: '.9375rem' }}
          lineHeight="1.5"
        />
        <EmojiButton field={field} onText={change} />
        {!text && images.length === 0 && <VoiceButton onRecord={() => setRecording(true)} />}
        <IconButton
          type="submit"
          aria-label={t('messages.send')}
          boxSize="46px"
          minW="46px"
          borderRadius="full"
          flex="none"
        >
          <PaperPlaneRightIcon weight="fill" mirrored={document.dir === 'rtl'} />
        </IconButton>
        {recording && (
          <Suspense fallback={null}>
            <Recorder userId={userId} onClose={recorded} />
          </Suspense>
        )}
      </Flex>
      <Box id={note} fontSize="xs" color="fg.muted" ps="4.5" role="status">
        {error ? (
          <Text color="fg.error" mt="1.5">
            {error}
          </Text>
        ) : (
          <>
            <LengthNote text={text} mt="1.5" />
            {waiting && !connected && <Text mt="1.5">{t('messages.waits')}</Text>}
          </>
        )}
      </Box>
    </chakra.form>
  );
}
