import { Box, Grid, Heading } from '@chakra-ui/react';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatTime } from '../lib/format';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Page } from '../ui/Page';
import { PersonSkeleton, Waiting } from '../ui/Skeletons';
import { NeedsYou } from './NeedsYou';
import { overview } from './overview';
import { SelfCheck } from './SelfCheck';
import { Service } from './Service';

function Panel({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <Box as="section" layerStyle="card" aria-labelledby={id} overflow="hidden" minW="0">
      <Heading as="h2" id={id} textStyle="section" px={{ base: '4', md: '5' }} py="4">
        {title}
      </Heading>
      {children}
    </Box>
  );
}

const NeedsYouComing = () => (
  <Box px="5" pb="4">
    <PersonSkeleton />
    <PersonSkeleton />
    <PersonSkeleton />
  </Box>
);

const ServiceComing = () => (
  <Box px="5" pb="5">
    <Waiting h="24px" w="70%" />
    <Waiting h="38px" w="45%" mt="6" />
    <Waiting h="96px" mt="6" />
    <Waiting h="180px" mt="6" />
  </Box>
);

export function AdminDashboard() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(overview);
  const now = data?.data;
  return (
    <Page
      title={t('overview.title')}
      tabTitle={t('overview.tab')}
      sub={now && t('overview.updated', { time: formatTime(now.at) })}
    >
      {error && now && (
        <Box mb="4">
          <Note
            Icon={WarningCircleIcon}
            tone="warning"
            role="status"
            title={t('overview.stale', { time: formatTime(now.at) })}
          >
            {errorText(error)}
          </Note>
        </Box>
      )}
      {error && !now ? (
        <Box layerStyle="card">
          <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
        </Box>
      ) : (
        <Grid
          templateColumns={{ base: '1fr', xl: 'minmax(0, 4fr) minmax(0, 5fr)' }}
          gap={{ base: '3', md: 'block' }}
          alignItems="start"
        >
          <Grid gap={{ base: '3', md: 'block' }} minW="0">
            <Panel title={t('overview.needsYou')}>
              {now ? <NeedsYou attention={now.attention} /> : <NeedsYouComing />}
            </Panel>
            <Panel title={t('selfCheck.title')}>
              <SelfCheck />
            </Panel>
          </Grid>
          <Panel title={t('overview.service')}>{now ? <Service overview={now} /> : <ServiceComing />}</Panel>
        </Grid>
      )}
    </Page>
  );
}
