import '../i18n/further';
import { Box, Button, Dialog, Flex, Text, Textarea } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { CheckCircleIcon, EyeIcon, ShareNetworkIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import type { Sharing } from '../images/dialogs';
import { sharesOf } from '../images/insight';
import { stackOf, titleOf } from '../images/subject';
import { errorText } from '../lib/errors';
import { fullName } from '../lib/format';
import { usePublicSettings } from '../lib/publicSettings';
import { Field } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { Note } from '../ui/Note';
import { PersonSearch } from '../users/PersonSearch';
import { AccessList } from './AccessList';
import { DownloadSwitch } from './DownloadSwitch';
import { Expiry } from './Expiry';
import { GuestLinks } from './GuestLinks';
import { useShareMany, type Wish } from './useShareMany';
import { WhyAccess } from './WhyAccess';
import { WithoutIdentity } from './WithoutIdentity';

const searchIn = (content: HTMLElement | null) => content?.querySelector<HTMLElement>('input[type=search]') ?? null;

const noWish = { people: [], emails: [], note: '', download: true, deidentified: false } satisfies Partial<Wish>;

interface FormProps extends Pick<Sharing, 'onClose' | 'onShared'> {
  images: readonly [Image, ...Image[]];
}

function ShareForm({ images, onClose, onShared }: FormProps) {
  const { t } = useTranslation();
  const form = useId();
  /** The copy that is shared in place of the only image. */
  const [copy, setCopy] = useState<Image>();
  const [drawing, setDrawing] = useState(false);
  const shared = copy ? ([copy] as const) : images;
  const [image] = shared;
  const alone = shared.length === 1;
  const usual = usePublicSettings()['sharing.expiryHours'];
  const [{ hours = usual, ...wished }, setWish] = useState<Omit<Wish, 'hours'> & { hours?: number }>(noWish);
  const { people, emails, note, download, deidentified } = wished;
  const change = (part: Partial<Wish>) => {
    setWish((now) => ({ ...now, ...part }));
    setFault(undefined);
  };
  const [fault, setFault] = useState<string>();
  const mayAsk = useMay('access.explain');
  const shares = useQuery({ ...sharesOf(image.id, image.study?.id), enabled: alone });
  const share = useShareMany(shared);
  const taken = new Set(alone ? shares.data?.map(({ recipient }) => recipient.id) : []);
  const [person] = people;
  const count = people.length + emails.length;

  function submit(event: FormEvent<HTMLElement>) {
    event.preventDefault();
    if (drawing) return;
    const { currentTarget } = event;
    // The error is at the search, far above the button. The focus brings it into view, also when it is the same again.
    const refuse = (why: string) => {
      setFault(why);
      searchIn(currentTarget)?.focus();
    };
    if (count === 0) return refuse(t('sharing.share.choose'));
    setFault(undefined);
    share.mutate(
      { ...wished, hours },
      {
        onError: (error) => refuse(errorText(error, t('sharing.share.failed'))),
        // Here and not in the hook: a late answer does not close the dialog that the person has opened meanwhile.
        onSuccess: ({ data: { shares: made, invited } }) => {
          if (made.length + invited.length > 0) {
            onShared?.();
            return onClose();
          }
          refuse(
            person && count === 1
              ? t('sharing.share.already', { name: fullName(person) })
              : t('sharing.share.alreadyAll'),
          );
        },
      },
    );
  }

  return (
    <>
      <Head images={shared} copy={copy !== undefined} drawing={drawing} />
      <Dialog.Body pt="block">
        <Flex direction="column" gap="block">
          <Flex as="form" id={form} direction="column" gap="block" onSubmit={submit} {...{ noValidate: true }}>
            <PersonSearch
              people={people}
              emails={emails}
              taken={taken}
              error={fault}
              onChange={(people, emails) => change({ people, emails })}
            />
            <Expiry usual={usual} hours={hours} onChange={(hours) => change({ hours })} />
            <Field label={t('sharing.note.label')} optional help={t('sharing.note.help')}>
              <Textarea
                size="lg"
                rows={2}
                dir="auto"
                maxLength={limits.noteLength}
                value={note}
                onChange={(event) => change({ note: event.target.value })}
              />
            </Field>
            <DownloadSwitch allowed={download} ofCopy={deidentified} onChange={(download) => change({ download })} />
            {copy && <CopyMade key={copy.id} copy={copy} />}
            <WithoutIdentity
              image={alone ? image : undefined}
              wanted={deidentified}
              onChange={(deidentified) => change({ deidentified })}
              onCopy={setCopy}
              onDrawing={setDrawing}
            />
          </Flex>
          {mayAsk && alone && person && count === 1 && (
            <WhyAccess key={person.id} imageId={image.id} userId={person.id} name={fullName(person)} />
          )}
          {alone && <AccessList image={image} />}
          {alone && (
            <GuestLinks
              key={image.id}
              image={image}
              opens={drawing ? 'nothing' : copy ? 'copy' : deidentified ? 'original' : undefined}
            />
          )}
        </Flex>
      </Dialog.Body>
      <Dialog.Footer>
        <Flex display={{ base: 'none', sm: 'flex' }} align="center" gap="1.5" me="auto" fontSize="xs" color="fg.muted">
          <EyeIcon size={18} aria-hidden />
          {t('sharing.share.recorded')}
        </Flex>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          type="submit"
          form={form}
          flex={{ base: '1 1 auto', sm: 'none' }}
          minW="0"
          // The image without the rectangles must not leave by mistake.
          disabled={drawing}
          loading={share.isPending}
          loadingText={t('sharing.share.actNobody')}
        >
          <ShareNetworkIcon />
          <Text as="span" truncate>
            {count > 1
              ? t('sharing.share.actMany', { count })
              : person
                ? t('sharing.share.act', { name: person.firstname || fullName(person) })
                : t('sharing.share.actNobody')}
          </Text>
        </Button>
      </Dialog.Footer>
    </>
  );
}

/** Says what is shared: the copy, as soon as there is one. */
function Head({ images, copy, drawing }: { images: readonly [Image, ...Image[]]; copy: boolean; drawing: boolean }) {
  const { t } = useTranslation();
  const [image] = images;
  const isAlone = images.length === 1;
  const sub = drawing
    ? 'sharing.blackOut.notYet'
    : copy
      ? 'sharing.blackOut.shared'
      : isAlone && stackOf(image)
        ? 'studies.share'
        : 'sharing.share.sub';
  return (
    <Dialog.Header alignItems="center" gap="3">
      {image.image_url && (
        <Box bg="film.bg" boxSize="64px" flex="none" borderRadius="film" overflow="hidden">
          <img
            src={image.image_url}
            alt=""
            width={64}
            height={64}
            style={{ width: 64, height: 64, objectFit: 'contain' }}
          />
        </Box>
      )}
      <Box pe="8" minW="0">
        <Dialog.Title overflowWrap="anywhere">
          {isAlone
            ? t('sharing.share.title', { caption: titleOf(image, t('common.untitled')) })
            : t('sharing.share.titleMany', { count: images.length })}
        </Dialog.Title>
        <Dialog.Description fontSize="sm" mt="0.5">
          {t(sub)}
        </Dialog.Description>
      </Box>
    </Dialog.Header>
  );
}

/** Says that the copy is made. It takes the focus: the brush that had it is gone, and this may lie outside of what is seen. */
function CopyMade({ copy }: { copy: Image }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  const made = stackOf(copy) ? 'madeStudy' : 'made';
  return (
    <Box ref={box} tabIndex={-1} outline="none" data-copy-made>
      <Note Icon={CheckCircleIcon} tone="success" role="status" title={t(`sharing.blackOut.${made}`)}>
        {t(`sharing.blackOut.${made}Text`)}
      </Note>
    </Box>
  );
}

/** Asks for the recipients and the terms of a share of one image or of several, and lists the people with access. */
export function ShareDialog({ open, image: one, images = one ? [one] : [], finalFocus, ...form }: Sharing) {
  const [image, ...more] = images;
  if (!image) return null;
  return (
    <Modal
      open={open}
      onClose={form.onClose}
      initialFocus={searchIn}
      finalFocusEl={finalFocus}
      scrollBehavior="inside"
      maxW={{ base: '100vw', md: '560px' }}
    >
      <ShareForm key={images.map(({ id }) => id).join()} images={[image, ...more]} {...form} />
    </Modal>
  );
}
