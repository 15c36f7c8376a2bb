import { Box, chakra, Flex, IconButton, Text, Textarea } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { ImageSquareIcon, PaperPlaneRightIcon, WarningCircleIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { type KeyboardEvent, lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import type { Offer } from '../images/AskLink';
import { socketAtom } from '../lib/connection';
import { store } from '../lib/store';
import { useMedia } from '../lib/useMedia';
import { Tooltip } from '../ui/Tooltip';
import { EmojiButton } from './emoji/EmojiButton';
import { attachedAtom, draftsAtom, keepAttached, keepDraft, keepPinned, pinnedAtom, post } from './outbox';
import { PinnedChip } from './Pinned';
import { Answering } from './reply/Answering';
import { reportTyping } from './typing';
import { VoiceButton } from './voice/VoiceButton';

const Chosen = lazy(async () => ({ default: (await import('./Chosen')).Chosen }));
const PickImages = lazy(async () => ({ default: (await import('./PickImages')).PickImages }));
const Recorder = lazy(async () => ({ default: (await import('./voice/Recorder')).Recorder }));

/** The counter appears from this length on. */
const closeToLimit = limits.messageLength - 200;

/** Shows how many characters are left, near the limit only. */
export function LengthNote({ text }: { text: string }) {
  const { t } = useTranslation();
  const length = text.trim().length;
  if (length < closeToLimit) return null;
  const left = limits.messageLength - length;
  return (
    <Flex as="span" align="center" gap="1.5" {...(left < 0 && { color: 'fg.error', fontWeight: 'medium' })}>
      {left < 0 && <WarningCircleIcon size={16} aria-hidden />}
      {left < 0 ? t('messages.over', { count: -left }) : t('messages.left', { count: left })}
    </Flex>
  );
}

/** Enter sends, Shift and Enter starts a new line. Enter that ends an IME composition (Urdu, Chinese) does neither. */
export const sendsOn = (event: KeyboardEvent) =>
  event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing;

const noImages: readonly string[] = [];

interface Props {
  userId: string;
  name: string;
  waiting: boolean;
}

/** The field for a new message. Mounted per chat; a draft is restored when its chat is opened again. */
export function Composer({ userId, name, waiting }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => store.get(draftsAtom)[userId] ?? '');
  const [error, setError] = useState<string>();
  const images = useAtomValue(attachedAtom)[userId] ?? noImages;
  const view = useAtomValue(pinnedAtom)[userId];
  const [picking, setPicking] = useState(false);
  const [picked, setPicked] = useState(false);
  const [recording, setRecording] = useState(false);
  const recorded = () => {
    setRecording(false);
    // The field takes no focus while the recorder covers it.
    setTimeout(() => field.current?.focus());
  };
  const field = useRef<HTMLTextAreaElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const note = useId();
  const connected = useAtomValue(socketAtom) === 'on';
  // No focus on touch screens: the on-screen keyboard would cover the messages.
  const mouse = useMedia('(pointer: fine)');
  useEffect(() => {
    if (mouse) field.current?.focus({ preventScroll: true });
  }, [mouse]);

  // A link may offer a first sentence and an image, in the state of the history entry and never in the address. A kept
  // draft wins.
  const location = useLocation();
  const navigate = useNavigate();
  const offered: Offer | null = location.state;
  useEffect(() => {
    if (!offered?.draft && !offered?.view) return;
    if (offered.view) keepPinned(userId, offered.view);
    if (offered.draft && !store.get(draftsAtom)[userId]) {
      setText(offered.draft);
      keepDraft(userId, offered.draft);
      if (offered.images) keepAttached(userId, offered.images);
    }
    void navigate(location, { replace: true, state: null });
  }, [offered, userId, location, navigate]);

  const change = (to: string) => {
    setText(to);
    setError(undefined);
    keepDraft(userId, to);
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
        <Tooltip content={t('messages.attach.button')}>
          <IconButton
            ref={opener}
            type="button"
            variant="ghost"
            aria-label={t('messages.attach.button')}
            boxSize="46px"
            minW="46px"
            borderRadius="full"
            flex="none"
            onClick={() => {
              setPicking(true);
              setPicked(true);
            }}
          >
            <ImageSquareIcon />
          </IconButton>
        </Tooltip>
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
            {text.trim().length >= closeToLimit && (
              <Box mt="1.5">
                <LengthNote text={text} />
              </Box>
            )}
            {waiting && !connected && <Text mt="1.5">{t('messages.waits')}</Text>}
          </>
        )}
      </Box>
      {picked && (
        <Suspense fallback={null}>
          <PickImages
            open={picking}
            chosen={images}
            onClose={() => setPicking(false)}
            onChosen={(ids) => {
              keepAttached(userId, ids);
              setPicking(false);
            }}
            finalFocus={() => (store.get(attachedAtom)[userId] ? field.current : opener.current)}
          />
        </Suspense>
      )}
    </chakra.form>
  );
}
