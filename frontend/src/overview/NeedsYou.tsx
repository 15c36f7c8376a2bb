import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import { type FailedJob, type Overview, overviewCap } from '@lightbox/contract/overview/calls.js';
import {
  ArrowClockwiseIcon,
  ArrowRightIcon,
  CheckCircleIcon,
  FirstAidIcon,
  type Icon,
  LockKeyIcon,
  PlugsIcon,
  UserCheckIcon,
  WarningCircleIcon,
} from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { formatNumber, formatWhen, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { EmptyState } from '../ui/EmptyState';
import { Note } from '../ui/Note';
import { useRetryJob } from './overview';

interface GroupProps {
  Icon: Icon;
  title: string;
  count: number;
  act?: ReactNode;
  children: ReactNode;
}

function Group({ Icon, title, count, act, children }: GroupProps) {
  const { t } = useTranslation();
  return (
    <Box as="section" px={{ base: '4', md: '5' }} py="4" borderTopWidth="1px">
      <Flex align="center" gap="2.5" mb="2.5" wrap="wrap">
        <Box color="warning.fg" flex="none">
          <Icon size={20} aria-hidden />
        </Box>
        <Heading as="h3" fontSize="md">
          {title}
        </Heading>
        <Text color="fg.muted" fontVariantNumeric="tabular-nums">
          {count < overviewCap ? formatNumber(count) : t('overview.atLeast', { count: overviewCap })}
        </Text>
        {act && <Box ms="auto">{act}</Box>}
      </Flex>
      {children}
    </Box>
  );
}

const GoTo = ({ to, text, label = text }: { to: string; text: string; label?: string }) => (
  <Button asChild variant="subtle" size="sm">
    <Link to={to} aria-label={label}>
      {text}
      <ArrowRightIcon mirrored={document.dir === 'rtl'} aria-hidden />
    </Link>
  </Button>
);

function Providers({ count, oldest }: Overview['attention']['providers']) {
  const { t } = useTranslation();
  const more = count - oldest.length;
  return (
    <Group
      Icon={UserCheckIcon}
      title={t('overview.providers')}
      count={count}
      act={<GoTo to={paths.approveProvider} text={t('overview.review')} label={t('overview.reviewProviders')} />}
    >
      <Flex as="ul" direction="column" gap="2.5" listStyleType="none">
        {oldest.map((provider) => (
          <Flex as="li" key={provider.id} justify="space-between" gap="3" wrap="wrap">
            <Box minW="0">
              <Text fontWeight="medium">
                <bdi>{fullName(provider)}</bdi>
              </Text>
              <Text fontSize="sm" color="fg.muted" overflowWrap="anywhere">
                {provider.email}
              </Text>
            </Box>
            <Text fontSize="sm" color="fg.muted">
              {t('overview.since', { when: formatWhen(provider.since) })}
            </Text>
          </Flex>
        ))}
      </Flex>
      {more > 0 && (
        <Text fontSize="sm" color="fg.muted" mt="2">
          {t('overview.moreProviders', { count: more })}
        </Text>
      )}
    </Group>
  );
}

function Emergencies({ count }: Overview['attention']['emergencies']) {
  const { t } = useTranslation();
  return (
    <Group
      Icon={FirstAidIcon}
      title={t('overview.emergencies')}
      count={count}
      act={<GoTo to={paths.emergencies} text={t('overview.review')} label={t('overview.reviewEmergencies')} />}
    >
      <Text fontSize="sm" color="fg.muted">
        {t('overview.emergenciesText')}
      </Text>
    </Group>
  );
}

function JobRow({ job }: { job: FailedJob }) {
  const { t, i18n } = useTranslation();
  const retry = useRetryJob(t('overview.retryFailed'));
  const key = `overview.job.${job.name}` as 'overview.job.sendMail';
  const worded: boolean = i18n.exists(key as string);
  const name = worded ? t(key) : job.name;
  return (
    <Flex as="li" align="center" justify="space-between" gap="3">
      <Box minW="0">
        <Text fontWeight="medium">
          {name}{' '}
          <Text as="span" color="fg.muted" fontWeight="normal" fontSize="sm">
            {t('overview.attempts', { count: job.attempts })}
          </Text>
        </Text>
        <Text fontSize="sm" color="fg.muted">
          {t('overview.failedAt', {
            queue: t(`overview.queue.${job.queue}`),
            reason: t(`overview.reason.${job.reason}`),
            when: formatWhen(job.failedAt),
          })}
        </Text>
      </Box>
      <Button
        variant="outline"
        size="sm"
        flex="none"
        aria-label={t('overview.retryName', { name })}
        loading={retry.isPending}
        onClick={() =>
          retry.mutate(job, { onSuccess: () => toast.success(t('overview.retried'), { description: name }) })
        }
      >
        <ArrowClockwiseIcon aria-hidden />
        {t('overview.retry')}
      </Button>
    </Flex>
  );
}

function FailedJobs({ count, newest }: NonNullable<Overview['attention']['failedJobs']>) {
  const { t } = useTranslation();
  const more = count - newest.length;
  return (
    <Group Icon={WarningCircleIcon} title={t('overview.failedJobs')} count={count}>
      <Flex as="ul" direction="column" gap="3" listStyleType="none">
        {newest.map((job) => (
          <JobRow key={`${job.queue} ${job.id}`} job={job} />
        ))}
      </Flex>
      {more > 0 && (
        <Text fontSize="sm" color="fg.muted" mt="2.5">
          {t('overview.moreJobs', { count: more })}
        </Text>
      )}
    </Group>
  );
}

/** Lists locked shares by the end of the image id. The caption is visible only to people who open the image. */
function LockedShares({ count, imageIds }: Overview['attention']['lockedShares']) {
  const { t } = useTranslation();
  return (
    <Group
      Icon={LockKeyIcon}
      title={t('overview.lockedShares')}
      count={count}
      act={<GoTo to={paths.viewImages} text={t('overview.images')} />}
    >
      <Text fontSize="sm" color="fg.muted">
        {count < overviewCap ? t('overview.lockedText', { count }) : t('overview.lockedMany', { count: overviewCap })}
      </Text>
      <Flex as="ul" direction="column" gap="2" mt="2.5" listStyleType="none">
        {imageIds.map((id) => (
          <Flex as="li" key={id} align="center" justify="space-between" gap="3">
            <Text fontWeight="medium">
              {t('overview.lockedImage')}{' '}
              <Text as="span" fontFamily="mono" fontSize="sm" dir="ltr">
                …{id.slice(-6)}
              </Text>
            </Text>
            <GoTo
              to={paths.sharesOf(id)}
              text={t('overview.openShares')}
              label={t('overview.openSharesOf', { code: id.slice(-6) })}
            />
          </Flex>
        ))}
      </Flex>
    </Group>
  );
}

/** Lists the tasks of an administrator, first the people who wait. */
export function NeedsYou({ attention }: { attention: Overview['attention'] }) {
  const { t } = useTranslation();
  const { providers, emergencies, failedJobs, lockedShares } = attention;
  const nothing = providers.count + emergencies.count + lockedShares.count + (failedJobs?.count ?? 0) === 0;
  return (
    <>
      {providers.count > 0 && <Providers {...providers} />}
      {emergencies.count > 0 && <Emergencies {...emergencies} />}
      {failedJobs && failedJobs.count > 0 && <FailedJobs {...failedJobs} />}
      {lockedShares.count > 0 && <LockedShares {...lockedShares} />}
      {!failedJobs && (
        <Box p={{ base: '4', md: '5' }} borderTopWidth="1px">
          <Note Icon={PlugsIcon} tone="warning" title={t('overview.jobsUnknown')}>
            {t('overview.jobsUnknownText')}
          </Note>
        </Box>
      )}
      {nothing && failedJobs && (
        <Box borderTopWidth="1px">
          <EmptyState as="h3" Icon={CheckCircleIcon} title={t('overview.nothing')} text={t('overview.nothingText')} />
        </Box>
      )}
    </>
  );
}
