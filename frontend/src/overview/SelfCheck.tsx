import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { type Check, type CheckState, checkFacts } from '@lightbox/contract/selfCheck/report.js';
import { CheckCircleIcon, MinusCircleIcon, ShieldCheckIcon, WarningOctagonIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatBytes, formatDateTime, formatNumber, formatSpan } from '../lib/format';
import { Badge } from '../ui/Badge';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Waiting } from '../ui/Skeletons';
import { selfCheck, useRunSelfCheck } from './selfCheckQuery';

const looks = {
  ok: { Icon: CheckCircleIcon, tone: 'success' },
  failed: { Icon: WarningOctagonIcon, tone: 'danger' },
  skipped: { Icon: MinusCircleIcon, tone: 'gray' },
} as const satisfies Record<CheckState, object>;

function useFacts() {
  const { t } = useTranslation();
  return ({ saw }: Check): string =>
    saw
      .map(({ fact, value }) => {
        const shown = {
          count: () => formatNumber(Number(value)),
          text: () => `\u2068${value}\u2069`,
          seconds: () => formatSpan(Number(value) * 1000),
          milliseconds: () => t('selfCheck.milliseconds', { value: formatNumber(Number(value)) }),
          bytes: () => formatBytes(Number(value)),
        }[checkFacts[fact]]();
        return t('selfCheck.seen', { fact: t(`selfCheck.fact.${fact}`), value: shown });
      })
      .join(' · ');
}

function Row({ check }: { check: Check }) {
  const { t } = useTranslation();
  const factsOf = useFacts();
  const { Icon, tone } = looks[check.state];
  const facts = factsOf(check);
  return (
    <Box as="li" py="3" borderTopWidth="1px" borderColor="border">
      <Flex justify="space-between" align="center" gap="3" wrap="wrap">
        <Text as="span" fontWeight="medium">
          {t(`selfCheck.name.${check.name}`)}
        </Text>
        <Badge Icon={Icon} tone={tone} filled={check.state === 'ok'}>
          {t(`selfCheck.state.${check.state}`)}
        </Badge>
      </Flex>
      {check.fault && (
        <Text mt="1" color="danger.fg">
          {t(`selfCheck.fault.${check.fault}`)}
        </Text>
      )}
      {facts && (
        <Text mt="1" fontSize="sm" color="fg.muted" overflowWrap="anywhere">
          {facts}
        </Text>
      )}
    </Box>
  );
}

/** Shows the last self-check: each check with its state and what it saw. An administrator can run it now. */
export function SelfCheck() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(selfCheck);
  const run = useRunSelfCheck(t('selfCheck.failed'));
  if (error && !data) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Waiting h="220px" mx="5" mb="5" />;
  const report = data.data;
  const faults = report?.checks.filter(({ state }) => state === 'failed').length ?? 0;
  return (
    <Flex direction="column" gap="4" px={{ base: '4', md: '5' }} pb="5">
      <Flex justify="space-between" align="center" gap="3" wrap="wrap">
        <Text fontSize="sm" color="fg.muted">
          {report && t('selfCheck.at', { when: formatDateTime(report.at) })}
        </Text>
        <Button
          variant="outline"
          loading={run.isPending}
          loadingText={t('selfCheck.running')}
          onClick={() => run.mutate()}
        >
          <ShieldCheckIcon aria-hidden />
          {t('selfCheck.run')}
        </Button>
      </Flex>
      {!report && (
        <Note Icon={MinusCircleIcon} title={t('selfCheck.none')} role="status">
          {t('selfCheck.noneText')}
        </Note>
      )}
      {report && (
        <>
          <Note
            Icon={report.ok ? CheckCircleIcon : WarningOctagonIcon}
            tone={report.ok ? 'success' : 'danger'}
            title={report.ok ? t('selfCheck.good') : t('selfCheck.bad', { count: faults })}
            role="status"
          />
          <Box as="ul" listStyleType="none" aria-label={t('selfCheck.title')}>
            {report.checks.map((check) => (
              <Row key={check.name} check={check} />
            ))}
          </Box>
        </>
      )}
    </Flex>
  );
}
