import { Box, Button, Dialog, Flex, Stack, Text, Textarea } from '@chakra-ui/react';
import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { type RequestKind, requestCalls } from '@lightbox/contract/requests/calls.js';
import { CheckCircleIcon, WarningIcon } from '@phosphor-icons/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText, faultAt } from '../lib/errors';
import { send } from '../lib/http';
import { paths } from '../lib/paths';
import { useAttempt } from '../lib/useAttempt';
import { Expiry } from '../sharing/Expiry';
import { CopyText } from '../ui/CopyText';
import { Field, TextField } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { Note } from '../ui/Note';
import { Segment } from '../ui/Segment';
import { PatientPicker } from '../uploads/PatientPicker';
import { usePatientText } from '../uploads/usePatientText';
import type { Person } from '../users/PersonSearch';
import { refreshRequests } from './requests';

type Made = DataOf<typeof requestCalls.createRequest> & { email: string };

interface Wish {
  kind: RequestKind;
  email?: string;
  note?: string;
  patientId?: string;
  expiresInHours: number;
}

/** Sends the wish. */
function useMake(onMade: (made: Made) => void) {
  const cache = useQueryClient();
  const attempt = useAttempt();
  return useMutation({
    mutationFn: async (body: Wish) => {
      const { data } = await send(requestCalls.createRequest, { body }, { idempotencyKey: attempt.keyOf(body) });
      return { ...data, email: body.email ?? '' };
    },
    meta: { silent: true },
    onSuccess: onMade,
    onError: attempt.refused,
    onSettled: () => refreshRequests(cache),
  });
}

/** Asks for the wishes of a new request, and then shows its link once. */
export function AskDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const [made, setMade] = useState<Made>();
  return (
    <Modal
      open={open}
      onClose={onClose}
      onExitComplete={() => setMade(undefined)}
      title={t('requests.ask')}
      sub={made ? '' : t('requests.dialog.text')}
      // The link is shown once.
      closeOnInteractOutside={false}
      scrollBehavior="inside"
    >
      {made ? <MadeRequest made={made} onClose={onClose} /> : <AskForm onMade={setMade} onClose={onClose} />}
    </Modal>
  );
}

/** Leads to the list of all requests. */
function OwnRequests({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Button asChild variant="ghost" me="auto">
      <Link to={paths.requests} onClick={onClose}>
        {t('requests.own')}
      </Link>
    </Button>
  );
}

function AskForm({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<RequestKind>('file');
  const [email, setEmail] = useState('');
  const [note, setNote] = useState('');
  const [patient, setPatient] = useState<Person>();
  const { patientText, isOpen } = usePatientText();
  const [hours, setHours] = useState<number>(limits.requestHours);
  const make = useMake(onMade);
  const [form, label] = [useId(), useId()];
  const faultOf = (field: string) => faultAt(make.error, field);
  const placed = ['email', 'note', 'patientId'].some((field) => faultOf(field));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isOpen()) return;
    make.mutate({
      kind,
      expiresInHours: hours,
      ...(email.trim() && { email: email.trim() }),
      ...(note.trim() && { note: note.trim() }),
      ...(patient && { patientId: patient.id }),
    });
  };
  return (
    <>
      <Dialog.Body>
        <Stack as="form" id={form} gap="4" onSubmit={submit} {...{ noValidate: true }}>
          <Box>
            <Text id={label} fontSize="sm" fontWeight="semibold" mb="1.5">
              {t('requests.dialog.kind')}
            </Text>
            <Segment
              labelledBy={label}
              name={label}
              options={[
                { value: 'file', label: t('requests.dialog.file') },
                { value: 'folder', label: t('requests.dialog.folder') },
              ]}
              selected={kind}
              onChange={({ target }) => setKind(target.value as RequestKind)}
            />
          </Box>
          <TextField
            label={t('requests.dialog.email')}
            optional
            help={t('requests.dialog.emailHelp')}
            error={faultOf('email')}
            type="email"
            autoComplete="off"
            dir="ltr"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Field
            label={t('requests.dialog.note')}
            optional
            help={t('requests.dialog.noteHelp')}
            error={faultOf('note')}
          >
            <Textarea
              value={note}
              maxLength={limits.noteLength}
              rows={2}
              dir="auto"
              borderRadius="control"
              onChange={(event) => setNote(event.currentTarget.value)}
            />
          </Field>
          <PatientPicker
            chosen={patient}
            onChoose={setPatient}
            text={patientText}
            error={faultOf('patientId')}
            help={t('requests.dialog.patientHelp')}
          />
          <Expiry
            usual={limits.requestHours}
            hours={hours}
            onChange={setHours}
            question={t('requests.dialog.howLong')}
          />
          {make.error && !placed && (
            <Text fontSize="sm" color="fg.error" role="alert">
              {errorText(make.error, t('requests.dialog.failed'))}
            </Text>
          )}
        </Stack>
      </Dialog.Body>
      <Dialog.Footer flexWrap="wrap">
        <OwnRequests onClose={onClose} />
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" form={form} loading={make.isPending} loadingText={t('requests.dialog.making')}>
          {t('requests.dialog.make')}
        </Button>
      </Dialog.Footer>
    </>
  );
}

/** Shows the address of a new request. Nothing shows it again. */
function MadeRequest({ made: { url, email, mailed }, onClose }: { made: Made; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <Dialog.Body>
        <Flex direction="column" gap="4">
          <Note Icon={CheckCircleIcon} tone="success" role="status" title={t('requests.made.title')}>
            {mailed ? t('requests.made.mailed', { email }) : t('requests.made.text')}
          </Note>
          {email && !mailed && <Note Icon={WarningIcon} tone="warning" title={t('requests.made.notMailed')} />}
          <CopyText label={t('requests.made.link')} act={t('requests.made.copy')} text={url} />
        </Flex>
      </Dialog.Body>
      <Dialog.Footer flexWrap="wrap">
        <OwnRequests onClose={onClose} />
        <Button onClick={onClose}>{t('common.close')}</Button>
      </Dialog.Footer>
    </>
  );
}
