import { Box, Button, Flex, Stack, Text, Textarea } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { type HeldRequest, requestCalls } from '@lightbox/contract/requests/calls.js';
import { CheckCircleIcon, TrashIcon, UserSwitchIcon } from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { refreshLists } from '../images/cache';
import { errorText, faultAt } from '../lib/errors';
import { fullName } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { Field } from '../ui/Field';
import { Note } from '../ui/Note';
import { PatientPicker } from '../uploads/PatientPicker';
import { usePatientText } from '../uploads/usePatientText';
import type { Person } from '../users/PersonSearch';
import { oneUser } from '../users/users';
import { refreshRequests } from './requests';

/** Takes the received images, with a patient or without one, or declines them. */
export function TakeForm({ request: { id, patient: wanted } }: { request: HeldRequest }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const navigate = useNavigate();
  // The patient of the request is proposed, until the person chooses another one or nobody.
  const proposed = useQuery({
    ...oneUser(wanted?.id),
    select: ({ data }): Person => ({ ...data, role: data.role.name }),
    enabled: wanted !== undefined,
  });
  const [chosen, setChosen] = useState<{ person: Person | undefined }>();
  const open = wanted !== undefined && !chosen;
  const patient = chosen ? chosen.person : wanted && proposed.data;
  const [reason, setReason] = useState('');
  const { patientText, isOpen } = usePatientText();
  const [declining, setDeclining] = useState(false);
  const params = { id };
  const over = (text: string, to: string) => {
    toast.success(text);
    void navigate(to);
  };
  const take = useMutation({
    mutationFn: () => {
      const mismatchReason = reason.trim();
      const body = { ...(patient && { patientId: patient.id }), ...(patient && mismatchReason && { mismatchReason }) };
      return send(requestCalls.takeRequest, { params, body });
    },
    meta: { silent: true },
    onSuccess: () => {
      refreshLists(cache);
      over(t('requests.one.taken'), paths.viewImages);
    },
    onSettled: () => refreshRequests(cache),
  });
  const decline = useMutation({
    mutationFn: () => send(requestCalls.declineRequest, { params }),
    meta: { fallback: t('requests.one.declineFailed') },
    onSuccess: () => over(t('requests.one.declined'), paths.requests),
    onSettled: () => {
      setDeclining(false);
      refreshRequests(cache);
    },
  });
  const { error } = take;
  const contradicted = error instanceof ApiError && error.code === 'PATIENT_MISMATCH' && patient !== undefined;
  const faultOf = (field: string) => (contradicted ? undefined : faultAt(error, field));
  const tooShort = contradicted && reason.length > 0 && reason.trim().length < limits.mismatchReasonMin;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isOpen() && !tooShort) take.mutate();
  };
  return (
    <Box layerStyle="card" p={{ base: '4', lg: '5' }}>
      <Text as="h2" textStyle="section" mb="3">
        {t('requests.one.takeTitle')}
      </Text>
      <Stack as="form" gap="4" onSubmit={submit} {...{ noValidate: true }}>
        <PatientPicker
          chosen={patient}
          text={patientText}
          onChoose={(person) => {
            setChosen({ person });
            take.reset();
          }}
          error={
            faultOf('patientId') ??
            (open && proposed.isError && !patient
              ? t('requests.one.patientFailed', { name: fullName(wanted) })
              : undefined)
          }
        />
        {contradicted && (
          <>
            <Note Icon={UserSwitchIcon} tone="warning" role="alert" title={t('requests.one.mismatch')}>
              {t('requests.one.mismatchText')}
            </Note>
            <Field
              label={t('requests.one.reason')}
              error={tooShort ? t('requests.one.reasonShort', { count: limits.mismatchReasonMin }) : undefined}
            >
              <Textarea
                dir="auto"
                rows={2}
                maxLength={limits.mismatchReasonMax}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            </Field>
          </>
        )}
        {error && !contradicted && !faultOf('patientId') && (
          <Text fontSize="sm" color="fg.error" role="alert">
            {errorText(error, t('requests.one.takeFailed'))}
          </Text>
        )}
        <Flex gap="3" wrap="wrap">
          <Button
            type="submit"
            size="lg"
            flex="1 0 auto"
            // Without the proposed patient the images would be taken for nobody.
            loading={take.isPending || (open && proposed.isPending)}
            loadingText={t(take.isPending ? 'requests.one.taking' : 'requests.one.take')}
          >
            <CheckCircleIcon aria-hidden />
            {t('requests.one.take')}
          </Button>
          <Button size="lg" variant="outline" colorPalette="danger" onClick={() => setDeclining(true)}>
            <TrashIcon aria-hidden />
            {t('requests.one.decline')}
          </Button>
        </Flex>
      </Stack>
      <ConfirmDialog
        open={declining}
        onClose={() => setDeclining(false)}
        Icon={TrashIcon}
        title={t('requests.one.declineTitle')}
        act={t('requests.one.decline')}
        pending={decline.isPending}
        onConfirm={() => decline.mutate()}
      >
        {t('requests.one.declineText')}
      </ConfirmDialog>
    </Box>
  );
}
