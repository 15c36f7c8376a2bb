import { Box, Button, Dialog, Flex, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { EyeIcon, ShareNetworkIcon } from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import { refreshLists } from '../images/cache';
import type { AboutImage } from '../images/dialogs';
import { sharesOf } from '../images/insight';
import { sharedThing, stackOf, titleOf } from '../images/subject';
import { errorText } from '../lib/errors';
import { fullName } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { usePublicSettings } from '../lib/publicSettings';
import { toast } from '../lib/toaster';
import { uuid } from '../lib/uuid';
import { offerDevice } from '../push/offer';
import { Modal } from '../ui/Modal';
import { type Person, PersonSearch } from '../users/PersonSearch';
import { AccessList } from './AccessList';
import { Expiry } from './Expiry';
import { GuestLinks } from './GuestLinks';
import { refreshShares } from './sharing';
import { WhyAccess } from './WhyAccess';

interface Wish {
  person: Person;
  hours: number;
}

/** Sends a share. A retry after a lost answer uses the same idempotency key, so that the server creates one share. */
function useShare(image: Image, onDone: () => void) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const attempt = useRef<{ of: string; key: string }>(undefined);
  return useMutation({
    mutationFn: ({ person, hours }: Wish) => {
      const of = `${image.id} ${person.id} ${hours}`;
      if (attempt.current?.of !== of) attempt.current = { of, key: uuid() };
      return send(
        shareCalls.createShare,
        { body: { ...sharedThing(image), createdfor: person.id, expiresInHours: hours } },
        { idempotencyKey: attempt.current.key },
      );
    },
    meta: { silent: true },
    onSuccess: (_, { person }) => {
      toast.success(t('sharing.share.done', { name: fullName(person) }), {
        description: t('sharing.share.doneText'),
      });
      onDone();
      void offerDevice();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status > 0 && error.status < 500) attempt.current = undefined;
    },
    onSettled: () => {
      refreshLists(cache);
      refreshShares(cache);
    },
  });
}

function ShareForm({ image, onClose }: { image: Image; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useId();
  const [person, setPerson] = useState<Person>();
  const usual = usePublicSettings()['sharing.expiryHours'];
  const [wished, setHours] = useState<number>();
  const hours = wished ?? usual;
  const [fault, setFault] = useState<string>();
  const mayAsk = useMay('access.explain');
  const shares = useQuery(sharesOf(image.id, image.study?.id));
  const share = useShare(image, onClose);
  const taken = new Set(shares.data?.map(({ recipient }) => recipient.id));

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!person) return setFault(t('sharing.share.choose'));
    setFault(undefined);
    share.mutate(
      { person, hours },
      {
        onError: (error) => {
          const already = error instanceof ApiError && error.code === 'ALREADY_SHARED';
          setFault(
            already
              ? t('sharing.share.already', { name: fullName(person) })
              : errorText(error, t('sharing.share.failed')),
          );
        },
      },
    );
  }

  return (
    <>
      <Dialog.Body pt="block">
        <Flex direction="column" gap="block">
          <Flex as="form" id={form} direction="column" gap="block" onSubmit={submit} {...{ noValidate: true }}>
            <PersonSearch
              chosen={person}
              taken={taken}
              error={fault}
              onChoose={(one) => {
                setPerson(one);
                setFault(undefined);
              }}
            />
            <Expiry usual={usual} hours={hours} onChange={setHours} />
          </Flex>
          {mayAsk && person && (
            <WhyAccess key={person.id} imageId={image.id} userId={person.id} name={fullName(person)} />
          )}
          <AccessList image={image} />
          <GuestLinks image={image} />
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
          flex={{ base: '1', sm: 'none' }}
          minW="0"
          loading={share.isPending}
          loadingText={t('sharing.share.actNobody')}
        >
          <ShareNetworkIcon />
          <Text as="span" truncate>
            {person
              ? t('sharing.share.act', { name: person.firstname || fullName(person) })
              : t('sharing.share.actNobody')}
          </Text>
        </Button>
      </Dialog.Footer>
    </>
  );
}

/** Asks for the recipient and the duration of a share, and lists the people with access. */
export function ShareDialog({ open, image, onClose, finalFocus }: AboutImage) {
  const { t } = useTranslation();
  if (!image) return null;
  return (
    <Modal
      open={open}
      onClose={onClose}
      initialFocus={(content) => content?.querySelector<HTMLElement>('input[type=search]') ?? null}
      finalFocusEl={finalFocus}
      scrollBehavior="inside"
      maxW={{ base: '100vw', md: '560px' }}
    >
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
            {t('sharing.share.title', { caption: titleOf(image, t('common.untitled')) })}
          </Dialog.Title>
          <Dialog.Description fontSize="sm" mt="0.5">
            {t(stackOf(image) ? 'studies.share' : 'sharing.share.sub')}
          </Dialog.Description>
        </Box>
      </Dialog.Header>
      <ShareForm key={image.id} image={image} onClose={onClose} />
    </Modal>
  );
}
