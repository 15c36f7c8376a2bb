import { Button, Checkbox, Flex, Input, Stack, Text, Textarea } from '@chakra-ui/react';
import type { DataOf } from '@lightbox/contract/call.js';
import { guestCalls } from '@lightbox/contract/guests/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { CheckCircleIcon, WarningIcon } from '@phosphor-icons/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sharedThing } from '../images/subject';
import { errorText, faultAt } from '../lib/errors';
import { send } from '../lib/http';
import { usePublicSettings } from '../lib/publicSettings';
import { useAttempt } from '../lib/useAttempt';
import { CopyText } from '../ui/CopyText';
import { Field, TextField } from '../ui/Field';
import { Note } from '../ui/Note';
import { Expiry } from './Expiry';
import { refreshGuestLinks } from './guests';

/** A link that was just made, with the email address that was typed. */
export type Made = DataOf<typeof guestCalls.createGuestLink> & { email: string };

interface Props {
  image: Image;
  onMade: (made: Made) => void;
  onCancel: () => void;
}

/** Sends the wish. */
function useMake(image: Image, onMade: Props['onMade']) {
  const cache = useQueryClient();
  const attempt = useAttempt();
  return useMutation({
    mutationFn: async ({ email, note, ...wish }: Wish) => {
      const body = { ...sharedThing(image), ...wish, ...(email && { email }), ...(note && { note }) };
      const { data } = await send(guestCalls.createGuestLink, { body }, { idempotencyKey: attempt.keyOf(body) });
      return { ...data, email };
    },
    meta: { silent: true },
    onSuccess: onMade,
    onError: attempt.refused,
    onSettled: () => refreshGuestLinks(cache),
  });
}

interface Wish {
  expiresInHours: number;
  maxOpens: number;
  email: string;
  note: string;
  download: boolean;
}

/** The form for a new guest link. It stands beside the form of a share, in the same dialog. */
export function NewGuestLink({ image, onMade, onCancel }: Props) {
  const { t } = useTranslation();
  const usual = usePublicSettings()['sharing.expiryHours'];
  const [hours, setHours] = useState<number>();
  const [email, setEmail] = useState('');
  const [note, setNote] = useState('');
  const [opens, setOpens] = useState(String(limits.guestOpens));
  const [download, setDownload] = useState(false);
  const make = useMake(image, onMade);
  const faultOf = (field: string) => faultAt(make.error, field);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate({
      expiresInHours: hours ?? usual,
      maxOpens: Number(opens),
      email: email.trim(),
      note: note.trim(),
      download,
    });
  };
  const unplaced = make.error && !faultOf('email') && !faultOf('maxOpens') && !faultOf('note');
  return (
    <Stack
      as="form"
      gap="4"
      p="4"
      borderWidth="1px"
      borderColor="border"
      borderRadius="box"
      onSubmit={submit}
      {...{ noValidate: true }}
    >
      <TextField
        label={t('guests.links.email')}
        optional
        help={t('guests.links.emailHelp')}
        error={faultOf('email')}
        type="email"
        autoComplete="off"
        dir="ltr"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Field label={t('guests.links.note')} optional help={t('guests.links.noteHelp')} error={faultOf('note')}>
        <Textarea
          value={note}
          maxLength={limits.noteLength}
          rows={2}
          dir="auto"
          borderRadius="control"
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </Field>
      <Expiry usual={usual} hours={hours ?? usual} onChange={setHours} />
      <Field label={t('guests.links.opens')} error={faultOf('maxOpens')}>
        <Input
          type="number"
          inputMode="numeric"
          min={1}
          max={limits.guestOpensMax}
          size="lg"
          h="field"
          maxW="120px"
          borderRadius="control"
          dir="ltr"
          value={opens}
          onChange={(event) => setOpens(event.currentTarget.value)}
        />
      </Field>
      <Checkbox.Root checked={download} onCheckedChange={(change) => setDownload(change.checked === true)}>
        <Checkbox.HiddenInput />
        <Checkbox.Control />
        <Checkbox.Label>{t('guests.links.allow')}</Checkbox.Label>
      </Checkbox.Root>
      {unplaced && (
        <Text fontSize="sm" color="fg.error" role="alert">
          {errorText(make.error, t('guests.links.failed'))}
        </Text>
      )}
      <Flex gap="2" justify="flex-end">
        <Button size="sm" variant="outline" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button size="sm" type="submit" loading={make.isPending} loadingText={t('guests.links.making')}>
          {t('guests.links.make')}
        </Button>
      </Flex>
    </Stack>
  );
}

/** Shows address and code of a new link. Nothing shows them again. */
export function MadeLink({ made, onClose }: { made: Made; onClose: () => void }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  // The form that had the focus is gone.
  useEffect(() => box.current?.focus(), []);
  const { url, code, email, mailed } = made;
  return (
    <Stack
      ref={box}
      tabIndex={-1}
      gap="3"
      p="4"
      borderWidth="1px"
      borderColor="border"
      borderRadius="box"
      outline="none"
    >
      <Note Icon={CheckCircleIcon} tone="success" role="status" title={t('guests.links.made')}>
        {mailed ? t('guests.links.mailed', { email }) : t('guests.links.madeText')}
      </Note>
      {email && !mailed && <Note Icon={WarningIcon} tone="warning" title={t('guests.links.notMailed')} />}
      <CopyText label={t('guests.links.link')} act={t('guests.links.copyLink')} text={url} />
      <CopyText label={t('guests.links.code')} act={t('guests.links.copyCode')} text={code} large />
      <Button size="sm" alignSelf="flex-end" onClick={onClose}>
        {t('common.close')}
      </Button>
    </Stack>
  );
}
