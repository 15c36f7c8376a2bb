import { Box, Button, Text } from '@chakra-ui/react';
import { type GuestLink, guestCalls } from '@lightbox/contract/guests/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { EyeIcon, LinkIcon, WarningIcon } from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDateTime, formatSpan } from '../lib/format';
import { send } from '../lib/http';
import { toast } from '../lib/toaster';
import { useNow } from '../lib/useNow';
import { Note } from '../ui/Note';
import { Row, Rows } from '../ui/Rows';
import { guestLinksOf, refreshGuestLinks } from './guests';
import { type Made, MadeLink, NewGuestLink } from './NewGuestLink';

/** The state, the number of openings and the end of a link, in one line. */
function useLine({ state, opens, maxOpens, expiresAt }: GuestLink, now: number): string {
  const { t } = useTranslation();
  if (state === 'locked' || state === 'usedUp') return t(`guests.links.state.${state}`);
  const ends = t('time.endsIn', { span: formatSpan(Date.parse(expiresAt) - now) });
  return `${t('guests.links.opened', { opens, max: maxOpens })} · ${ends}`;
}

function Link({ link, now }: { link: GuestLink; now: number }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const line = useLine(link, now);
  const revoke = useMutation({
    mutationFn: () => send(guestCalls.revokeGuestLink, { params: { id: link.id } }),
    onSuccess: () => void toast.success(t('guests.links.revoked')),
    onSettled: () => refreshGuestLinks(cache),
    meta: { fallback: t('guests.links.revokeFailed') },
  });
  const name = link.email ?? formatDateTime(link.createAt);
  return (
    <Row>
      <LinkIcon size={22} aria-hidden style={{ flex: 'none' }} />
      <Box flex="1" minW="0">
        <Text fontWeight="semibold" fontSize="sm" lineHeight="1.35" overflowWrap="anywhere">
          {t('guests.links.one')} <bdi>{link.email}</bdi>
        </Text>
        <Text
          fontSize="xs"
          color={link.state === 'locked' ? 'danger.fg' : 'fg.muted'}
          fontVariantNumeric="tabular-nums"
        >
          {line}
        </Text>
        {link.note && (
          <Text fontSize="xs" color="fg.muted" dir="auto" lineClamp="2" overflowWrap="anywhere">
            {link.note}
          </Text>
        )}
      </Box>
      <Button
        size="sm"
        variant="surface"
        colorPalette="danger"
        aria-label={t('guests.links.revokeThis', { name })}
        loading={revoke.isPending}
        onClick={() => revoke.mutate()}
      >
        {t('guests.links.revoke')}
      </Button>
    </Row>
  );
}

interface Props {
  image: Image;
  /**
   * Said where the person wants to share without identity: a new link would open the original or the copy, or must wait
   * because the copy is being made.
   */
  opens?: 'original' | 'copy' | 'nothing' | undefined;
}

/** Lists the guest links of an image or a study, and makes new ones. */
export function GuestLinks({ image, opens }: Props) {
  const { t } = useTranslation();
  const { data: links, error } = useQuery(guestLinksOf(image.id, image.study?.id));
  const now = useNow(30_000);
  const [step, setStep] = useState<'list' | 'new' | Made>('list');
  return (
    <Box as="section">
      <Text as="h3" fontSize="sm" fontWeight="semibold" mb="0.5">
        {t('guests.links.title')}
      </Text>
      <Text fontSize="xs" color="fg.muted" mb="2">
        {t('guests.links.text')}
      </Text>
      {error && !links && (
        <Text fontSize="sm" color="fg.error" role="alert">
          {errorText(error, t('guests.links.loadFailed'))}
        </Text>
      )}
      {opens && (
        <Box mb="2">
          <Note
            Icon={opens === 'copy' ? EyeIcon : WarningIcon}
            tone={opens === 'copy' ? 'accent' : 'warning'}
            title={t(`guests.links.of.${opens}`)}
          />
        </Box>
      )}
      {step === 'list' && opens !== 'nothing' && (
        <Button size="sm" variant="outline" onClick={() => setStep('new')}>
          <LinkIcon />
          {t('guests.links.add')}
        </Button>
      )}
      {step === 'new' && opens !== 'nothing' && (
        <NewGuestLink image={image} onMade={setStep} onCancel={() => setStep('list')} />
      )}
      {typeof step === 'object' && <MadeLink made={step} onClose={() => setStep('list')} />}
      {links && links.length > 0 && (
        <Rows mt="2.5">
          {links.map((link) => (
            <Link key={link.id} link={link} now={now} />
          ))}
        </Rows>
      )}
    </Box>
  );
}
