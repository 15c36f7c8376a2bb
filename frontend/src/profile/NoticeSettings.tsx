import { Box, Flex, Grid, Heading, Switch, Text } from '@chakra-ui/react';
import {
  ClockTime,
  digests,
  QuietHours,
  type NoticeSettings as Settings,
} from '@lightbox/contract/notifications/choices.js';
import { BellRingingIcon, DeviceMobileIcon, EnvelopeSimpleIcon, type Icon, MoonIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { paths } from '../lib/paths';
import { browserTimeZone } from '../lib/timeZone';
import { DeviceSwitch } from '../push/DeviceSwitch';
import { device } from '../push/device';
import { BackLink } from '../ui/BackLink';
import { Card } from '../ui/Card';
import { TextField } from '../ui/Field';
import { HeldSwitchInput } from '../ui/HeldInput';
import { LoadFailed } from '../ui/LoadFailed';
import { Page } from '../ui/Page';
import { Segment } from '../ui/Segment';
import { Waiting } from '../ui/Skeletons';
import { NoticeTable } from './NoticeTable';
import { noticeSettings, useChoose } from './noticeSettings';

interface PartProps {
  settings: Settings;
}

/** A section whose changes are saved at once. It says so, calmly, below its content. */
function Part({
  Icon,
  title,
  children,
}: {
  Icon: Icon;
  title: string;
  children: (choose: (settings: Settings) => void) => ReactNode;
}) {
  const { t } = useTranslation();
  const { mutate, isSuccess } = useChoose();
  return (
    <Card
      title={
        <>
          <Box as="span" color="accent.fg" display="inline-flex">
            <Icon size={22} aria-hidden />
          </Box>
          {title}
        </>
      }
    >
      {children(mutate)}
      <Text role="status" fontSize="sm" color="success.fg" minH="1.5em" mt="3">
        {isSuccess && t('noticeSettings.saved')}
      </Text>
    </Card>
  );
}

/** A time of day. It is saved when the person has typed a whole time and leaves the field, or chooses one. */
function TimeField({
  label,
  value,
  error,
  onChange,
}: {
  label: string;
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <TextField
      type="time"
      dir="ltr"
      label={label}
      value={typed}
      error={error}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={() => {
        if (!ClockTime.safeParse(typed).success) setTyped(value);
        else if (typed !== value) onChange(typed);
      }}
    />
  );
}

/** The first quiet hours of a person. */
const night: QuietHours = { from: '22:00', to: '07:00' };

function Quiet({ settings, choose }: PartProps & { choose: (settings: Settings) => void }) {
  const { t } = useTranslation();
  const [refused, setRefused] = useState<string>();
  const { quiet } = settings;
  const set = (next: QuietHours) => {
    const answer = QuietHours.safeParse(next);
    setRefused(answer.error?.issues[0]?.message);
    if (answer.success) choose({ ...settings, quiet: next });
  };
  const turn = (on: boolean) => {
    const { quiet: _, ...rest } = settings;
    setRefused(undefined);
    choose(on ? { ...rest, quiet: night } : rest);
  };
  return (
    <>
      <Switch.Root
        checked={quiet !== undefined}
        onCheckedChange={({ checked }) => turn(checked)}
        alignItems="start"
        gap="3"
      >
        <HeldSwitchInput />
        <Switch.Control mt="0.5" flex="none" />
        <Switch.Label fontSize="md" fontWeight="medium">
          {t('noticeSettings.quiet.label')}
        </Switch.Label>
      </Switch.Root>
      <Text fontSize="sm" color="fg.muted" mt="2">
        {t('noticeSettings.quiet.text', { zone: browserTimeZone() })}
      </Text>
      {quiet && (
        <Grid templateColumns="1fr 1fr" gap="4" maxW="360px" mt="4">
          <TimeField
            label={t('noticeSettings.quiet.from')}
            value={quiet.from}
            onChange={(from) => set({ ...quiet, from })}
          />
          <TimeField
            label={t('noticeSettings.quiet.to')}
            value={quiet.to}
            error={refused}
            onChange={(to) => set({ ...quiet, to })}
          />
        </Grid>
      )}
    </>
  );
}

function Digest({ settings, choose }: PartProps & { choose: (settings: Settings) => void }) {
  const { t } = useTranslation();
  const id = useId();
  const { digest: every, digestAt } = settings;
  return (
    <>
      <Text id={id} fontSize="sm" color="fg.muted" mb="3">
        {t('noticeSettings.digest.text')}
      </Text>
      <Box maxW="360px">
        <Segment
          labelledBy={id}
          name="digest"
          options={digests.map((value) => ({ value, label: t(`noticeSettings.digest.${value}`) }))}
          selected={every}
          onChange={({ target }) => choose({ ...settings, digest: target.value as Settings['digest'] })}
        />
      </Box>
      {every !== 'off' && (
        <Box maxW="172px" mt="4">
          <TimeField
            label={t('noticeSettings.digest.at')}
            value={digestAt}
            onChange={(at) => choose({ ...settings, digestAt: at })}
          />
        </Box>
      )}
    </>
  );
}

/** Explains the column of devices while this browser cannot show notifications. */
function DeviceHint() {
  const { t } = useTranslation();
  const { data: state } = useQuery(device);
  if (!state || state === 'on' || state === 'off') return null;
  return (
    <Text fontSize="sm" color="fg.muted" mt="3">
      {t('noticeSettings.deviceHint')} {t(`push.state.${state}`)}
    </Text>
  );
}

/** The choices of a person: which notices reach them, how, and when. */
export function NoticeSettings() {
  const { t } = useTranslation();
  const { data: settings, error, refetch } = useQuery(noticeSettings);
  return (
    <Page
      title={t('noticeSettings.title')}
      sub={t('noticeSettings.sub')}
      act={<BackLink to={paths.profile}>{t('profile.title')}</BackLink>}
    >
      {settings ? (
        <Grid templateColumns={{ base: 'minmax(0, 1fr)', xl: 'minmax(0, 1fr) 380px' }} gap="5" alignItems="start">
          <Part Icon={BellRingingIcon} title={t('noticeSettings.groups')}>
            {(choose) => (
              <>
                <NoticeTable settings={settings} onChange={choose} />
                <DeviceHint />
              </>
            )}
          </Part>
          <Flex direction="column" gap="5" minW="0">
            <Part Icon={MoonIcon} title={t('noticeSettings.quiet.title')}>
              {(choose) => <Quiet settings={settings} choose={choose} />}
            </Part>
            <Part Icon={EnvelopeSimpleIcon} title={t('noticeSettings.digest.title')}>
              {(choose) => <Digest settings={settings} choose={choose} />}
            </Part>
            <Card
              title={
                <>
                  <Box as="span" color="accent.fg" display="inline-flex">
                    <DeviceMobileIcon size={22} aria-hidden />
                  </Box>
                  {t('push.title')}
                </>
              }
            >
              <DeviceSwitch />
            </Card>
          </Flex>
        </Grid>
      ) : error ? (
        <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Box layerStyle="card" px="7" py="6" role="status" aria-label={t('common.loading')}>
          <Heading as="h2" srOnly>
            {t('common.loading')}
          </Heading>
          <Waiting h="18px" w="30%" />
          <Waiting h="14px" w="80%" mt="5" />
          <Waiting h="14px" w="70%" mt="5" />
        </Box>
      )}
    </Page>
  );
}
