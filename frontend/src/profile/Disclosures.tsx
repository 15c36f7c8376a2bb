import '../ui/print.css';
import { Box, Button, Flex, Heading, Table, Text } from '@chakra-ui/react';
import { EyeSlashIcon, PrinterIcon, WarningIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { userAtom } from '../auth/session';
import { timesOf } from '../lib/days';
import { errorText } from '../lib/errors';
import { formatDate, formatDateTime, fullName } from '../lib/format';
import { usePublicSettings } from '../lib/publicSettings';
import { DAY_MS } from '../lib/times';
import { useIsWide } from '../lib/useMedia';
import { DayInput } from '../ui/DayInput';
import { EmptyState } from '../ui/EmptyState';
import { CardFacts } from '../ui/Facts';
import { Field } from '../ui/Field';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Page } from '../ui/Page';
import { Waiting } from '../ui/Skeletons';
import { disclosures } from './calls';
import { groupedByImage, type ImageGroup, type Line } from './grouping';

/** Days that the list begins with. */
const DAYS = 90;
const dateInput = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

/** Returns the period of the address, and a function that changes it. Without one it is the last three months. */
function usePeriod() {
  const [params, setParams] = useSearchParams();
  const now = new Date();
  const valid = (value: string | null) => (value && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined);
  const from = valid(params.get('from')) ?? dateInput(new Date(now.getTime() - DAYS * DAY_MS));
  const to = valid(params.get('to')) ?? dateInput(now);
  const set = (name: 'from' | 'to', value: string) =>
    setParams((old) => {
      const next = new URLSearchParams(old);
      next.set(name, value);
      return next;
    });
  return { from, to, set };
}

/** Returns the names in one line: the person who did it, and the person who got access. */
function useSentence() {
  const { t } = useTranslation();
  return ({ first: { kind, by, to }, times }: Line) => {
    const guest = to && 'guest' in to ? (to.guest ?? t('profile.disclosures.guest')) : t('profile.disclosures.guest');
    const name = by ? fullName(by) : t('audit.system');
    const receiver = to && 'user' in to ? fullName(to.user) : to ? guest : t('profile.disclosures.someone');
    return t(`profile.disclosures.kind.${kind}`, { name, receiver, guest, times, count: times });
  };
}

const whenOf = ({ first, times }: Line) => (times > 1 ? formatDate(first.at) : formatDateTime(first.at));

interface LinesProps {
  label: string;
  lines: readonly Line[];
}

function WideLines({ label, lines }: LinesProps) {
  const { t } = useTranslation();
  const sentence = useSentence();
  return (
    <Table.ScrollArea role="region" aria-label={label} tabIndex={0}>
      <Table.Root fontSize="sm" whiteSpace="normal">
        <Table.Header>
          <Table.Row bg="bg.subtle">
            <Table.ColumnHeader ps="5">{t('profile.disclosures.when')}</Table.ColumnHeader>
            <Table.ColumnHeader>{t('profile.disclosures.what')}</Table.ColumnHeader>
            <Table.ColumnHeader pe="5">{t('profile.disclosures.until')}</Table.ColumnHeader>
          </Table.Row>
        </Table.Header>
        <Table.Body>
          {lines.map((line) => (
            <Table.Row key={line.first.id} bg="transparent" verticalAlign="top">
              <Table.Cell ps="5" py="2.5" whiteSpace="nowrap" fontVariantNumeric="tabular-nums">
                {whenOf(line)}
              </Table.Cell>
              <Table.Cell py="2.5" overflowWrap="anywhere" minW="180px">
                {sentence(line)}
              </Table.Cell>
              <Table.Cell pe="5" py="2.5" whiteSpace="nowrap" fontVariantNumeric="tabular-nums">
                {line.first.until ? formatDateTime(line.first.until) : '–'}
              </Table.Cell>
            </Table.Row>
          ))}
        </Table.Body>
      </Table.Root>
    </Table.ScrollArea>
  );
}

/** The lines below 768 px: the sentence first, and below it the times with their labels. */
function Cards({ label, lines }: LinesProps) {
  const { t } = useTranslation();
  const sentence = useSentence();
  return (
    <Box as="ul" listStyleType="none" aria-label={label} fontVariantNumeric="tabular-nums">
      {lines.map((line) => (
        <Box as="li" key={line.first.id} px="5" py="3.5" borderTopWidth="1px">
          <Text overflowWrap="anywhere">{sentence(line)}</Text>
          <CardFacts
            gapY="1"
            facts={[
              { key: 'when', label: t('profile.disclosures.when'), value: whenOf(line) },
              ...(line.first.until
                ? [
                    {
                      key: 'until',
                      label: t('profile.disclosures.until'),
                      value: formatDateTime(line.first.until),
                    },
                  ]
                : []),
            ]}
          />
        </Box>
      ))}
    </Box>
  );
}

function Group({ group: { image, lines } }: { group: ImageGroup }) {
  const { t } = useTranslation();
  const label = image.name || t('common.untitled');
  const Lines = useIsWide() ? WideLines : Cards;
  return (
    <Box as="section" layerStyle="card" overflow="hidden" data-print-group>
      <Heading as="h2" textStyle="section" px="5" py="4" dir="auto" overflowWrap="anywhere">
        {label}
      </Heading>
      <Lines label={label} lines={lines} />
    </Box>
  );
}

/** Lists for a patient who got access to their images, who looked at them and who downloaded them. It can be printed. */
export function Disclosures() {
  const { t } = useTranslation();
  const me = useAtomValue(userAtom);
  const clinic = usePublicSettings()['clinic.name'];
  const { from, to, set } = usePeriod();
  const { data, error, refetch, isPending } = useQuery(disclosures(timesOf(from, to)));
  const groups = data ? groupedByImage(data.rows) : [];
  const period = { from: formatDate(`${from}T12:00:00`), to: formatDate(`${to}T12:00:00`) };
  return (
    <Page
      title={t('profile.disclosures.title')}
      sub={t('profile.disclosures.sub')}
      act={
        <Button data-screen-only disabled={!data} onClick={() => window.print()}>
          <PrinterIcon aria-hidden />
          {t('info.print')}
        </Button>
      }
    >
      <Box data-print-only mb="4">
        <Text fontWeight="semibold">{clinic || t('common.appName')}</Text>
        <Text>
          <bdi>{me && fullName(me)}</bdi> · {t('profile.disclosures.period', period)}
        </Text>
        <Text>{t('profile.disclosures.printed', { date: formatDateTime(new Date()) })}</Text>
      </Box>
      <Flex gap="4" mb="5" wrap="wrap" data-screen-only>
        {(['from', 'to'] as const).map((end) => (
          <Box key={end} w={{ base: 'full', sm: '200px' }}>
            <Field label={t(`profile.disclosures.${end}`)}>
              <DayInput
                size="lg"
                day={{ from, to }[end]}
                max={end === 'from' ? to : undefined}
                min={end === 'to' ? from : undefined}
                onPick={(day) => day && set(end, day)}
              />
            </Field>
          </Box>
        ))}
      </Flex>
      {error && !data ? (
        <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Box layerStyle="card" px="5" py="5" role="status" aria-label={t('common.loading')}>
          <Waiting h="16px" w="40%" />
          <Waiting h="14px" w="80%" mt="4" />
          <Waiting h="14px" w="70%" mt="3" />
        </Box>
      ) : groups.length === 0 ? (
        <EmptyState
          Icon={EyeSlashIcon}
          title={t('profile.disclosures.empty')}
          text={t('profile.disclosures.emptyText')}
        />
      ) : (
        <Flex direction="column" gap="5" data-print-groups>
          {data && !data.whole && (
            <Note Icon={WarningIcon} tone="warning" title={t('profile.disclosures.more')}>
              {t('profile.disclosures.moreText')}
            </Note>
          )}
          {groups.map((group) => (
            <Group key={group.image.id} group={group} />
          ))}
        </Flex>
      )}
    </Page>
  );
}
