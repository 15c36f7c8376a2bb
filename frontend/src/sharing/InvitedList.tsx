import { Box, Button, Flex, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { type Invitation, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { EnvelopeSimpleIcon } from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { invitationsOf } from '../images/insight';
import { formatSpan } from '../lib/format';
import { send } from '../lib/http';
import { toast } from '../lib/toaster';
import { Row, Rows } from '../ui/Rows';
import { patchInvitations, refreshInvitations } from './sharing';

function Invited({ invitation, now }: { invitation: Invitation; now: number }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { id, email, endsAt } = invitation;
  const resend = useMutation({
    mutationFn: () => send(shareCalls.resendInvitation, { params: { id }, body: {} }),
    onSuccess: () => toast.success(t('sharing.invited.resent', { email })),
    onSettled: () => refreshInvitations(cache),
    meta: { fallback: t('sharing.invited.resendFailed') },
  });
  const cancel = useMutation({
    mutationFn: () => send(shareCalls.cancelInvitation, { params: { id } }),
    onSuccess: () => {
      patchInvitations(cache, (waiting) => waiting.filter((one) => one.id !== id));
      toast.success(t('sharing.invited.cancelled', { email }));
    },
    onSettled: () => refreshInvitations(cache),
    meta: { fallback: t('sharing.invited.cancelFailed') },
  });
  return (
    <Row wrap={{ base: 'wrap', sm: 'nowrap' }}>
      <Box flex="none" color="fg.muted" aria-hidden>
        <EnvelopeSimpleIcon size={24} />
      </Box>
      <Box flex="1" minW="150px">
        <Text fontWeight="semibold" fontSize="sm" lineHeight="1.35" overflowWrap="anywhere">
          <bdi>{email}</bdi>
        </Text>
        <Text fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
          {`${t('sharing.invited.state')} · ${t('time.endsIn', { span: formatSpan(Date.parse(endsAt) - now) })}`}
        </Text>
      </Box>
      <Flex gap="1.5" ms="auto">
        <Button
          size="sm"
          variant="ghost"
          aria-label={t('sharing.invited.resendFor', { email })}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {t('sharing.invited.resend')}
        </Button>
        <Button
          size="sm"
          variant="surface"
          colorPalette="danger"
          aria-label={t('sharing.invited.cancelFor', { email })}
          loading={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          {t('sharing.invited.cancel')}
        </Button>
      </Flex>
    </Row>
  );
}

/** Lists the people who are invited to an image or a study and have not registered yet. */
export function InvitedList({ image, now }: { image: Image; now: number }) {
  const { t } = useTranslation();
  const { data } = useQuery(invitationsOf(image.id, image.study?.id));
  const waiting = data?.filter(({ endsAt }) => Date.parse(endsAt) > now) ?? [];
  if (waiting.length === 0) return null;
  return (
    <Box as="section" mt="3">
      <Text as="h3" fontSize="sm" fontWeight="semibold" mb="1.5">
        {t('sharing.invited.title')}
      </Text>
      <Rows>
        {waiting.map((one) => (
          <Invited key={one.id} invitation={one} now={now} />
        ))}
      </Rows>
    </Box>
  );
}
