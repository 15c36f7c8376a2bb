import { Box, Button, Dialog, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { shareMark } from '@lightbox/contract/sharing/mark.js';
import {
  ClipboardTextIcon,
  ClockIcon,
  EnvelopeSimpleIcon,
  KeyIcon,
  LockKeyIcon,
  ProhibitIcon,
  SealCheckIcon,
} from '@phosphor-icons/react';
import { useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { type FormEvent, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { userAtom } from '../auth/session';
import { AskLink } from '../images/AskLink';
import { findShared } from '../images/cache';
import type { Verifying } from '../images/dialogs';
import { useSubject } from '../images/studies';
import { stackOf, titleOf } from '../images/subject';
import { formatSeconds, fullName } from '../lib/format';
import { usePublicSettings } from '../lib/publicSettings';
import { ClinicLine } from '../ui/ClinicLine';
import { CodeInput } from '../ui/CodeInput';
import { TextField } from '../ui/Field';
import { IconTile } from '../ui/IconTile';
import { EndedWell, ImageWell } from '../ui/ImageWell';
import { Modal } from '../ui/Modal';
import { Note } from '../ui/Note';
import { Said } from '../ui/Said';
import { ShareNote } from '../ui/ShareNote';
import { type SendingAgain, useSendAgain } from './useSendAgain';
import { type Halt, useVerify } from './useVerify';

function Sentence({ image }: { image: Image | undefined }) {
  const { t } = useTranslation();
  const email = useAtomValue(userAtom)?.email ?? '';
  if (!image?.sharedBy) return <Said i18nKey="sharing.verify.sub" values={{ email }} />;
  const values = { email, name: fullName(image.sharedBy), caption: titleOf(image, t('common.untitled')) };
  return <Said i18nKey="sharing.verify.subFrom" values={values} />;
}

/** Says that codes are no longer accepted, and offers the ways to get in again. */
function HaltNote({ halt, image, again }: { halt: Halt; image: Image | undefined; again: SendingAgain }) {
  const { t } = useTranslation();
  const giver = image?.sharedBy;
  return (
    <Box>
      <Note
        Icon={halt === 'locked' ? LockKeyIcon : ProhibitIcon}
        tone="danger"
        role="alert"
        title={t(`sharing.verify.${halt}Title`)}
      >
        {halt === 'locked' ? (
          t('sharing.verify.lockedText')
        ) : giver ? (
          <Said i18nKey="sharing.verify.endedText" values={{ name: fullName(giver) }} />
        ) : (
          t('sharing.verify.endedTextUnknown')
        )}
      </Note>
      <Help image={image} again={halt === 'locked' ? again : undefined} />
    </Box>
  );
}

/** The ways to a code: another mail, and the person who shared the image. */
function Help({ image, again }: { image: Image | undefined; again: SendingAgain | undefined }) {
  const { t } = useTranslation();
  const email = useAtomValue(userAtom)?.email ?? '';
  const clinic = usePublicSettings();
  const wait = again?.wait ?? 0;
  return (
    <>
      <Flex gap="2" mt="3" wrap="wrap" _empty={{ display: 'none' }}>
        {again && (
          <Button
            size="sm"
            variant="subtle"
            flex={{ base: '1 1 auto', sm: 'none' }}
            disabled={wait > 0}
            loading={again.pending}
            onClick={again.send}
          >
            <EnvelopeSimpleIcon aria-hidden />
            {wait > 0 ? t('sharing.verify.againIn', { time: formatSeconds(wait) }) : t('sharing.verify.again')}
          </Button>
        )}
        {image && (
          <AskLink image={image} need={again ? 'code' : 'access'} size="sm" flex={{ base: '1 1 auto', sm: 'none' }} />
        )}
      </Flex>
      <Text
        fontSize="xs"
        mt="2"
        role="status"
        color={again?.fault ? 'fg.error' : 'fg.muted'}
        _empty={{ display: 'none' }}
      >
        {again?.fault ?? (again?.sent && <Said i18nKey="sharing.verify.sent" values={{ email }} />)}
      </Text>
      <ClinicLine of={clinic} mt="2" fontSize="xs" />
    </>
  );
}

type Verify = ReturnType<typeof useVerify>;

/** The id that the product knows already is one quiet line. It stays a field: it may be changed. */
const quiet = {
  '& label': { fontSize: 'xs', fontWeight: 'normal', color: 'fg.muted' },
  '& input': { h: '7', px: '0', fontSize: 'xs', color: 'fg.muted', borderColor: 'transparent', bg: 'transparent' },
} as const;

/** The field for the sharing id. A button pastes the text of the mail, which may contain the code too. */
function IdField({ verify, known }: { verify: Verify; known: boolean }) {
  const { t } = useTranslation();
  const paste = Boolean(navigator.clipboard?.readText);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (verify.idFault) field.current?.focus();
  }, [verify.idFault]);
  return (
    <Box css={known ? quiet : {}}>
      <TextField
        ref={field}
        label={t('sharing.verify.id')}
        value={verify.id}
        onChange={(event) => verify.changeId(event.target.value)}
        onPaste={(event) => {
          if (verify.paste(event.clipboardData.getData('text'))) event.preventDefault();
        }}
        error={verify.idFault}
        dir="ltr"
        fontFamily="mono"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        // Show the button only while the field is empty, because an id needs the whole line. The empty element stays for the
        // focus ring of the frame.
        {...(paste && {
          end: verify.id ? (
            <span />
          ) : (
            <Button
              size="xs"
              variant="ghost"
              onClick={() =>
                void navigator.clipboard
                  .readText()
                  .then(verify.paste)
                  // The browser may not read the clipboard: the user can type the id.
                  .catch(() => {})
              }
            >
              <ClipboardTextIcon />
              {t('sharing.verify.paste')}
            </Button>
          ),
        })}
      />
    </Box>
  );
}

interface EntryProps {
  verify: Verify;
  image: Image | undefined;
  /** True when the product knows the id. */
  known: boolean;
  onClose: () => void;
}

function Entry({ verify, image, known, onClose }: EntryProps) {
  const { t } = useTranslation();
  const form = useId();
  const again = useSendAgain(verify.id.trim(), {
    onAsked: verify.drop,
    onSent: verify.renewed,
    onEnded: verify.ended,
  });
  const { other } = verify;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    verify.submit();
  };
  return (
    <>
      <Head sub={<Sentence image={image} />} {...(known && { mark: shareMark(verify.id) })} />
      <Dialog.Body>
        <Flex as="form" id={form} direction="column" gap="block" onSubmit={submit} {...{ noValidate: true }}>
          <ShareNote note={image?.note} />
          <IdField verify={verify} known={known} />
          {verify.halt ? (
            <HaltNote halt={verify.halt} image={image} again={again} />
          ) : (
            <Box>
              <Text fontSize="sm" fontWeight="semibold" mb="1.5" aria-hidden>
                {t('sharing.verify.code')}
              </Text>
              <CodeInput
                value={verify.code}
                onChange={verify.changeCode}
                onPasted={verify.paste}
                error={verify.codeFault}
                focusOnError={!verify.idFault}
                autoFocus={known}
                disabled={verify.pending}
                label={t('sharing.verify.code')}
                help={
                  <>
                    <ClockIcon size={17} aria-hidden style={{ flex: 'none' }} />
                    {t('sharing.verify.help')}
                  </>
                }
              />
              {known && !other && <Help image={image} again={again} />}
            </Box>
          )}
          {other && (
            <Button variant="subtle" alignSelf="flex-start" onClick={() => verify.turnTo(other)}>
              {t('sharing.verify.useThere', { mark: shareMark(other.id) })}
            </Button>
          )}
        </Flex>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {verify.halt ? t('common.close') : t('common.cancel')}
        </Button>
        {!verify.halt && (
          <Button
            type="submit"
            form={form}
            flex={{ base: '1', sm: 'none' }}
            loading={verify.pending}
            loadingText={t('sharing.verify.busy')}
          >
            <KeyIcon />
            {t('sharing.verify.act')}
          </Button>
        )}
      </Dialog.Footer>
    </>
  );
}

interface OpenedProps {
  lit: Image | undefined;
  live: Image | undefined;
  onClose: () => void;
  onOpen: (image: Image) => void;
}

/** Shows the result of a right code: the image, or that its share has ended meanwhile. */
function Opened({ lit, live, onClose, onOpen }: OpenedProps) {
  const { t } = useTranslation();
  return (
    <>
      <Head lit sub={lit ? titleOf(lit, t('common.untitled')) : ''} />
      <Dialog.Body>
        {lit ? <ImageWell image={lit} lightUp /> : live && <EndedWell title={t('images.card.endedTitle')} />}
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.close')}
        </Button>
        {lit && (
          <Button autoFocus flex={{ base: '1', sm: 'none' }} onClick={() => onOpen(lit)}>
            {t(stackOf(lit) ? 'studies.open' : 'sharing.verify.open')}
          </Button>
        )}
      </Dialog.Footer>
    </>
  );
}

type FormProps = Pick<Verifying, 'shareId' | 'image' | 'onClose' | 'onOpen'>;

function VerifyForm({ shareId, image: asked, onClose, onOpen }: FormProps) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const verify = useVerify(shareId, asked?.isLocked === true);
  // Another tab may have verified the share already: then no code is needed.
  const live = useSubject(verify.verified).image ?? asked;
  const lit = live?.isVerified ? live : undefined;
  const done = verify.done || lit !== undefined;
  const other = verify.id === shareId ? undefined : findShared(cache, verify.id.trim());
  return (
    <>
      <VisuallyHidden role="status">{done ? t('sharing.verify.done') : ''}</VisuallyHidden>
      {done ? (
        <Opened lit={lit} live={live} onClose={onClose} onOpen={onOpen} />
      ) : (
        <Entry
          verify={verify}
          image={verify.id === shareId ? asked : other}
          known={!verify.idFault && (other !== undefined || (verify.id === shareId && shareId !== ''))}
          onClose={onClose}
        />
      )}
    </>
  );
}

function Head({ sub, mark, lit = false }: { sub: React.ReactNode; mark?: string; lit?: boolean }) {
  const { t } = useTranslation();
  return (
    <Dialog.Header alignItems="flex-start" gap="4">
      <IconTile
        Icon={lit ? SealCheckIcon : LockKeyIcon}
        tone={lit ? 'success' : 'warning'}
        weight={lit ? 'fill' : 'regular'}
      />
      <Box pe="8" minW="0">
        <Dialog.Title>{lit ? t('sharing.verify.done') : t('sharing.verify.title')}</Dialog.Title>
        {mark && (
          <Text fontSize="sm" fontWeight="semibold" fontVariantNumeric="tabular-nums">
            {t('images.card.mark', { mark })}
          </Text>
        )}
        <Dialog.Description fontSize="sm" mt="1" dir="auto">
          {sub}
        </Dialog.Description>
      </Box>
    </Dialog.Header>
  );
}

/** Asks for the id and the code from the mail, and then shows the image in the dialog. */
export function VerifyDialog({ open, shareId, image, onClose, onOpen, onExited, finalFocus }: Verifying) {
  return (
    <Modal
      open={open}
      onClose={onClose}
      initialFocus={(content) =>
        content?.querySelector<HTMLElement>(
          shareId ? '[data-part=input]:not([aria-hidden])[data-index="0"]' : 'input:not([type=hidden])',
        ) ?? null
      }
      {...(onExited && { onExitComplete: onExited })}
      {...(finalFocus && { finalFocusEl: finalFocus })}
      scrollBehavior="inside"
      maxW={{ base: '100vw', md: '468px' }}
    >
      <VerifyForm key={shareId} shareId={shareId} image={image} onClose={onClose} onOpen={onOpen} />
    </Modal>
  );
}
