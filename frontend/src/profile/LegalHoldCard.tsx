import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { type LegalHold, legalHoldCalls } from '@lightbox/contract/legalHolds/calls.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { ScalesIcon } from '@phosphor-icons/react';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { capitalized, formatDate, fullName } from '../lib/format';
import { send } from '../lib/http';
import { put } from '../lib/live';
import { toast } from '../lib/toaster';
import { Card } from '../ui/Card';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { TextDialog } from '../ui/TextDialog';

const legalHolds = (id: string) =>
  queryOptions({
    queryKey: ['legalHolds', id],
    queryFn: async ({ signal }) => (await send(legalHoldCalls.getLegalHold, { params: { id } }, { signal })).data,
  });

function Said({ hold }: { hold: LegalHold }) {
  const { t } = useTranslation();
  const parts = [
    { key: 'setBy' as const, ...hold },
    ...(hold.lifted ? [{ key: 'liftedBy' as const, ...hold.lifted }] : []),
  ];
  return parts.map(({ key, by, at, reason }) => (
    <Box key={key} mt="1.5" fontSize="sm">
      <Text color="fg.muted">{t(`profile.legalHold.${key}`, { name: fullName(by), date: formatDate(at) })}</Text>
      <Text dir="auto" whiteSpace="pre-line" overflowWrap="anywhere">
        {reason}
      </Text>
    </Box>
  ));
}

interface ChangeProps {
  patient: User;
  held: boolean;
  onClose: () => void;
}

/** Asks for the reason, and sets or lifts the hold. */
function Change({ patient, held, onClose }: ChangeProps) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async (body: { held: boolean; reason: string }) =>
      (await send(legalHoldCalls.setLegalHold, { params: { id: patient.id }, body })).data,
    meta: { fallback: t('profile.legalHold.failed') },
    onSuccess: (answer) => {
      put(cache, legalHolds(patient.id).queryKey, answer);
      toast.success(t(held ? 'profile.legalHold.setDone' : 'profile.legalHold.liftDone'));
      onClose();
    },
  });
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(legalHoldCalls.setLegalHold.body.pick({ reason: true })),
    defaultValues: { reason: '' },
  });
  return (
    <TextDialog
      title={t(held ? 'profile.legalHold.setTitle' : 'profile.legalHold.liftTitle', {
        name: capitalized(fullName(patient)),
      })}
      text={t(held ? 'profile.legalHold.text' : 'profile.legalHold.liftText')}
      label={t('profile.legalHold.reason')}
      help={t('profile.legalHold.reasonHelp')}
      error={formState.errors.reason?.message}
      field={register('reason')}
      act={t(held ? 'profile.legalHold.set' : 'profile.legalHold.lift')}
      danger={!held}
      pending={isPending}
      onSubmit={handleSubmit(({ reason }) => mutate({ held, reason }))}
      onClose={onClose}
    />
  );
}

/** On the page of a patient, for administrators: the legal hold, and those before it. */
export function LegalHoldCard({ patient }: { patient: User }) {
  const { t } = useTranslation();
  const [changing, setChanging] = useState(false);
  const { data, error, refetch } = useQuery(legalHolds(patient.id));
  if (error && !data) {
    return (
      <Card title={t('profile.legalHold.title')}>
        <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
      </Card>
    );
  }
  if (!data) return null;
  const { held, holds } = data;
  const current = holds.find(({ lifted }) => !lifted);
  const earlier = holds.filter(({ lifted }) => lifted);
  return (
    <Card title={t('profile.legalHold.title')}>
      <Text fontSize="sm" color="fg.muted">
        {t('profile.legalHold.text')} {!held && t('profile.legalHold.none')}
      </Text>
      {current && (
        <Box mt="4">
          <Note Icon={ScalesIcon} tone="warning" title={t('profile.legalHold.on')}>
            <Said hold={current} />
          </Note>
        </Box>
      )}
      <Flex direction="column" mt="4">
        <Button variant="outline" onClick={() => setChanging(true)}>
          <ScalesIcon aria-hidden />
          {t(held ? 'profile.legalHold.lift' : 'profile.legalHold.set')}
        </Button>
      </Flex>
      {earlier.length > 0 && (
        <Box mt="5">
          <Heading as="h3" fontSize="sm" fontWeight="semibold">
            {t('profile.legalHold.earlier')}
          </Heading>
          {earlier.map((hold) => (
            <Said key={hold.id} hold={hold} />
          ))}
        </Box>
      )}
      {changing && <Change patient={patient} held={!held} onClose={() => setChanging(false)} />}
    </Card>
  );
}
