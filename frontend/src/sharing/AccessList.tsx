import { Box, Button, Flex, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { type ShareAccess, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import { refreshLists } from '../images/cache';
import { sharesOf } from '../images/insight';
import { errorText } from '../lib/errors';
import { formatSpan, fullName } from '../lib/format';
import { send } from '../lib/http';
import { publicSettingsIn } from '../lib/publicSettings';
import { toast } from '../lib/toaster';
import { useNow } from '../lib/useNow';
import { uuid } from '../lib/uuid';
import { Row, Rows } from '../ui/Rows';
import { PersonSkeleton } from '../ui/Skeletons';
import { StateBadge } from '../ui/StateBadge';
import { UserAvatar } from '../ui/UserAvatar';
import { ChangeShare } from './ChangeShare';
import { guestLinksOf } from './guests';
import { InvitedList } from './InvitedList';
import { hoursOf, patchShares, refreshShares } from './sharing';
import { WhyAccess } from './WhyAccess';

/** Revokes a share with one click. The toast offers to share the image again. */
function useRevoke() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const again = useMutation({
    mutationFn: ({ share, idempotencyKey }: { share: ShareAccess; idempotencyKey: string }) =>
      send(
        shareCalls.createShare,
        {
          body: {
            ...(share.studyId ? { studyId: share.studyId } : { imagemetadataId: share.imagemetadataId }),
            createdfor: share.recipient.id,
            expiresInHours: hoursOf(share, publicSettingsIn(cache)['sharing.expiryHours']),
            note: share.note,
            download: share.download,
            deidentified: share.deidentified,
          },
        },
        { idempotencyKey },
      ),
    onSuccess: (_, { share }) => {
      toast.success(t('sharing.share.done', { name: fullName(share.recipient) }), {
        description: t('sharing.share.doneText'),
      });
    },
    onSettled: () => {
      refreshShares(cache);
      refreshLists(cache);
    },
    meta: { fallback: t('sharing.share.failed') },
  });
  return useMutation({
    mutationFn: ({ id }: ShareAccess) => send(shareCalls.revokeShare, { params: { id } }),
    onMutate: (gone) => patchShares(cache, (shares) => shares.filter(({ id }) => id !== gone.id)),
    onSuccess: (_, share) => {
      const idempotencyKey = uuid();
      toast.success(t('sharing.access.revoked', { name: fullName(share.recipient) }), {
        action: { label: t('sharing.access.shareAgain'), onClick: () => again.mutate({ share, idempotencyKey }) },
      });
    },
    onSettled: () => {
      refreshShares(cache);
      refreshLists(cache);
    },
    meta: { fallback: t('sharing.access.revokeFailed') },
  });
}

function useResend() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: ShareAccess) => send(shareCalls.resendShare, { params: { id }, body: {} }),
    onSuccess: (_, { id, recipient }) => {
      patchShares(cache, (shares) => shares.map((share) => (share.id === id ? { ...share, locked: false } : share)));
      toast.success(t('sharing.access.resent', { name: fullName(recipient) }));
    },
    meta: { fallback: t('sharing.access.resendFailed') },
  });
}

function Access({ share, image, now }: { share: ShareAccess; image: Image; now: number }) {
  const { t } = useTranslation();
  const revoke = useRevoke();
  const resend = useResend();
  const mayAsk = useMay('access.explain');
  const [asking, setAsking] = useState(false);
  const [changing, setChanging] = useState(false);
  const name = fullName(share.recipient);
  const state = share.isVerified
    ? t('sharing.access.verified')
    : share.locked
      ? t('sharing.access.locked', { count: limits.codeTries })
      : t('sharing.access.waiting');
  const left = share.expiresAt
    ? t('time.endsIn', { span: formatSpan(Date.parse(share.expiresAt) - now) })
    : t('sharing.access.noEnd');
  return (
    <Row wrap="wrap">
      <UserAvatar person={share.recipient} role={share.recipient.role} size="sm" />
      <Box flex="1" minW="220px">
        <Text fontWeight="semibold" fontSize="sm" lineHeight="1.35">
          <bdi>{name}</bdi>
        </Text>
        <Text fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
          {`${state} · ${left}`}
          {!share.download && ` · ${t('sharing.access.noDownload')}`}
          {share.deidentified && ` · ${t('sharing.access.deidentified')}`}
        </Text>
        {share.locked && !share.isVerified && <StateBadge state="locked" />}
        {share.note && (
          <Text fontSize="xs" color="fg.muted" dir="auto" overflowWrap="anywhere">
            {share.note}
          </Text>
        )}
      </Box>
      <Flex gap="1.5" ms="auto" wrap="wrap" justify="flex-end">
        {mayAsk && (
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={asking}
            aria-label={t('sharing.why.ask', { name })}
            onClick={() => setAsking((now) => !now)}
          >
            {t('sharing.why.act')}
          </Button>
        )}
        <Button
          size="sm"
          variant="ghost"
          aria-expanded={changing}
          aria-label={t('sharing.change.of', { name })}
          onClick={() => setChanging((now) => !now)}
        >
          {t('sharing.change.ask')}
        </Button>
        {!share.isVerified && (
          <Button
            size="sm"
            variant="ghost"
            aria-label={t('sharing.access.resendFor', { name })}
            loading={resend.isPending}
            onClick={() => resend.mutate(share)}
          >
            {t('sharing.access.resend')}
          </Button>
        )}
        <Button
          size="sm"
          variant="surface"
          colorPalette="danger"
          aria-label={t('sharing.access.revokeFor', { name })}
          onClick={() => revoke.mutate(share)}
        >
          {t('sharing.access.revoke')}
        </Button>
      </Flex>
      {changing && (
        <ChangeShare
          share={share}
          patients={image.patient?.id === share.recipient.id}
          onDone={() => setChanging(false)}
        />
      )}
      {asking && <WhyAccess imageId={share.imagemetadataId} userId={share.recipient.id} name={name} />}
    </Row>
  );
}

/** Lists the people with access to an image or a study, the end of each share, and a button to revoke it. */
export function AccessList({ image }: { image: Image }) {
  const { t } = useTranslation();
  const { data: shares, isPending, isError, error } = useQuery(sharesOf(image.id, image.study?.id));
  const { data: links } = useQuery(guestLinksOf(image.id, image.study?.id));
  const now = useNow(30_000);
  return (
    <Box as="section">
      <Text as="h3" fontSize="sm" fontWeight="semibold" mb="1.5">
        {t('sharing.access.title')}
      </Text>
      {isPending && <PersonSkeleton />}
      {isError && !shares && (
        <Text fontSize="sm" color="fg.error" role="alert">
          {errorText(error, t('sharing.access.failed'))}
        </Text>
      )}
      {shares?.length === 0 && (
        <Text fontSize="sm" color="fg.muted">
          {t(links?.length ? 'sharing.access.guests' : 'sharing.access.nobody')}
        </Text>
      )}
      {shares && shares.length > 0 && (
        <Rows>
          {shares.map((share) => (
            <Access key={share.id} share={share} image={image} now={now} />
          ))}
        </Rows>
      )}
      <InvitedList image={image} now={now} />
    </Box>
  );
}
