import { Box, Button, Flex, Text } from '@chakra-ui/react';
import type { Carer } from '@lightbox/contract/carers/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { HandHeartIcon, InfoIcon, ProhibitIcon, UsersThreeIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText, faultAt } from '../lib/errors';
import { capitalized, formatDate, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { BackLink } from '../ui/BackLink';
import { Card } from '../ui/Card';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { EmptyState } from '../ui/EmptyState';
import { TextField } from '../ui/Field';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Page } from '../ui/Page';
import { PersonSkeleton } from '../ui/Skeletons';
import { UserAvatar } from '../ui/UserAvatar';
import { carerList, useCarerAct, useNameCarer } from './carers';

const nameOf = ({ person, email }: Carer) => (person ? capitalized(fullName(person)) : (email ?? ''));

function useStateText() {
  const { t } = useTranslation();
  return ({ state, since, expiresAt, endedAt }: Carer): string => {
    if (state === 'ended') return t('carers.endedAt', { date: formatDate(endedAt ?? since) });
    if (state === 'waiting') return t('carers.waitsUntil', { date: formatDate(expiresAt ?? since) });
    return t('carers.since', { date: formatDate(since) });
  };
}

/** One carer, or one patient whom the viewer helps or who asks for help. */
function Row({ carer, side, onEnd }: { carer: Carer; side: 'mine' | 'others'; onEnd: () => void }) {
  const { t } = useTranslation();
  const stateOf = useStateText();
  const accept = useCarerAct('acceptCarer', t('carers.acceptFailed'));
  const name = nameOf(carer);
  const asks = side === 'others' && carer.state === 'waiting';
  const act = t(asks ? 'carers.decline' : carer.state === 'waiting' ? 'carers.withdraw' : 'carers.end');
  return (
    <Flex as="li" gap="3" py="3.5" borderTopWidth="1px" align="center" wrap="wrap" data-carer={carer.id}>
      {carer.person && <UserAvatar person={carer.person} />}
      <Box flex="1 1 200px" minW="0">
        <Text as="bdi" fontWeight="semibold" overflowWrap="anywhere">
          {name}
        </Text>
        <Text fontSize="sm" color="fg.muted">
          {asks ? t('carers.asks') : stateOf(carer)}
        </Text>
      </Box>
      {carer.state !== 'ended' && (
        <Flex gap="2" wrap="wrap">
          {asks && (
            <Button size="sm" loading={accept.isPending} onClick={() => accept.mutate(carer.id)}>
              {t('carers.accept')}
            </Button>
          )}
          {side === 'others' && carer.state === 'accepted' && (
            <Button asChild size="sm" variant="subtle">
              <Link to={paths.imagesOfHelped(carer.id)}>{t('carers.seeImages')}</Link>
            </Button>
          )}
          <Button size="sm" variant="outline" aria-label={t('carers.actOf', { act, name })} onClick={onEnd}>
            {act}
          </Button>
        </Flex>
      )}
    </Flex>
  );
}

/** The form that names a carer. It says the same about every address. */
function NameForm({ full }: { full: boolean }) {
  const { t } = useTranslation();
  const [email, setEmail] = useState('');
  const name = useNameCarer();
  const fault = faultAt(name.error, 'email');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    name.mutate(email.trim(), { onSuccess: () => setEmail('') });
  };
  if (full) return <Text color="fg.muted">{t('carers.full', { count: limits.carersOfPatient })}</Text>;
  return (
    <Box as="form" onSubmit={submit} {...{ noValidate: true }}>
      <Flex gap="3" align="flex-end" wrap="wrap">
        <Box flex="1 1 240px">
          <TextField
            type="email"
            label={t('carers.email')}
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            {...(name.error ? { error: fault ?? errorText(name.error) } : {})}
          />
        </Box>
        <Button type="submit" loading={name.isPending} disabled={email.trim() === ''} mb="1">
          {t('carers.name')}
        </Button>
      </Flex>
      <Text role="status" fontSize="sm" color="fg.muted" mt="2" minH="1.5em">
        {name.isSuccess && t('carers.named')}
      </Text>
    </Box>
  );
}

interface ListProps {
  side: 'mine' | 'others';
  carers: Carer[];
}

function List({ side, carers }: ListProps) {
  const { t } = useTranslation();
  const [ending, setEnding] = useState<Carer>();
  const end = useCarerAct('endCarer', t('carers.endFailed'));
  const asks = side === 'others' && ending?.state === 'waiting';
  return (
    <>
      <Box as="ul" listStyleType="none">
        {carers.map((carer) => (
          <Row key={carer.id} carer={carer} side={side} onEnd={() => setEnding(carer)} />
        ))}
      </Box>
      <ConfirmDialog
        Icon={ProhibitIcon}
        open={ending !== undefined}
        title={t(asks ? 'carers.declineTitle' : 'carers.endTitle')}
        act={t(asks ? 'carers.decline' : 'carers.end')}
        pending={end.isPending}
        onClose={() => setEnding(undefined)}
        onConfirm={() => ending && end.mutate(ending.id, { onSettled: () => setEnding(undefined) })}
        finalFocus={() => document.querySelector('main')}
      >
        {t(asks ? 'carers.declineText' : side === 'mine' ? 'carers.endMineText' : 'carers.endOtherText')}
      </ConfirmDialog>
    </>
  );
}

/** The people who help the viewer, and the patients whom the viewer helps. */
export function Carers() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(carerList);
  const live = data?.mine.filter(({ state }) => state !== 'ended') ?? [];
  return (
    <Page
      title={t('carers.title')}
      sub={t('carers.sub')}
      act={<BackLink to={paths.profile}>{t('profile.title')}</BackLink>}
    >
      {error && !data && <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Card title={t('carers.mine')}>
          <Box role="status" aria-label={t('common.loading')}>
            <PersonSkeleton />
          </Box>
        </Card>
      )}
      {data && !data.on && (
        <Note Icon={InfoIcon} title={t('carers.off')}>
          {t('carers.offText')}
        </Note>
      )}
      {data && (
        <Flex direction="column" gap="5" mt={data.on ? '0' : '5'}>
          {(data.on || data.mine.length > 0) && (
            <Card title={t('carers.mine')}>
              <Text color="fg.muted" mb="4">
                {t('carers.mineText')}
              </Text>
              {data.on && <NameForm full={live.length >= limits.carersOfPatient} />}
              {data.mine.length > 0 ? (
                <List side="mine" carers={data.mine} />
              ) : (
                <EmptyState as="h3" Icon={HandHeartIcon} title={t('carers.noneMine')} />
              )}
            </Card>
          )}
          {(data.on || data.others.length > 0) && (
            <Card title={t('carers.others')}>
              {data.others.length > 0 ? (
                <List side="others" carers={data.others} />
              ) : (
                <EmptyState
                  as="h3"
                  Icon={UsersThreeIcon}
                  title={t('carers.noneOthers')}
                  text={t('carers.noneOthersText')}
                />
              )}
            </Card>
          )}
        </Flex>
      )}
    </Page>
  );
}
