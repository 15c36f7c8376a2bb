import { Box, chakra, Flex, Text } from '@chakra-ui/react';
import type { SettingChange } from '@lightbox/contract/settings/calls.js';
import { ArrowRightIcon } from '@phosphor-icons/react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDateTime, fullName } from '../lib/format';
import { usePaging } from '../lib/usePaging';
import { LoadFailed } from '../ui/LoadFailed';
import { Pager } from '../ui/Pager';
import { SidePanel } from '../ui/SidePanel';
import { Waiting } from '../ui/Skeletons';
import { knownOf, settingHistory, useWords } from './settings';

interface Of {
  name: string;
  id?: string | undefined;
}

const Value = chakra('span', {
  base: { fontFamily: 'mono', fontSize: 'sm', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap', minW: '0' },
});

/** Shows the old and the new value. A missing value means the default, or that the note did not exist. */
function Change({ change: { name, from, to, by, at }, known }: { change: SettingChange; known: boolean }) {
  const { t } = useTranslation();
  const { shown } = useWords();
  const nothing = (
    <Text as="span" fontSize="sm" color="fg.muted">
      {t(known ? 'settings.theDefault' : 'settings.nothing')}
    </Text>
  );
  return (
    <Box as="li" py="3" borderTopWidth="1px" _first={{ borderTopWidth: '0' }}>
      <Flex gap="2" align="center" wrap="wrap">
        {from === null ? nothing : <Value dir="auto">{shown(name, from)}</Value>}
        <ArrowRightIcon
          size={16}
          mirrored={document.dir === 'rtl'}
          role="img"
          aria-label={t('settings.became')}
          style={{ flex: 'none' }}
        />
        {to === null ? (
          nothing
        ) : (
          <Value dir="auto" fontWeight="bold">
            {shown(name, to)}
          </Value>
        )}
      </Flex>
      <Text fontSize="xs" color="fg.muted" mt="1">
        <bdi>{fullName(by)}</bdi> · {formatDateTime(at)}
      </Text>
    </Box>
  );
}

function Changes({ of }: { of: Of }) {
  const { t } = useTranslation();
  const paging = usePaging([20]);
  const query = useQuery({ ...settingHistory(of, paging.query), placeholderData: keepPreviousData });
  const { data, error, isPending } = query;
  const pagination = data?.pagination;
  if (error && !data) return <LoadFailed text={errorText(error)} onRetry={() => void query.refetch()} />;
  if (isPending)
    return (
      <Box pt="3">
        <Waiting h="14px" w="60%" />
        <Waiting h="12px" w="40%" mt="2" />
      </Box>
    );
  if (data?.data.length === 0)
    return (
      <Text color="fg.muted" pt="3">
        {t('settings.neverChanged')}
      </Text>
    );
  return (
    <>
      <Box as="ul" listStyleType="none">
        {data?.data.map((change) => (
          <Change key={change.id} change={change} known={knownOf(of.name) !== undefined} />
        ))}
      </Box>
      {pagination && pagination.totalPages > 1 && (
        <Flex justify="center" pt="3">
          <Pager paging={paging} pagination={pagination} />
        </Flex>
      )}
    </>
  );
}

/** Lists the changes of a setting: who, when, the old and the new value. */
export function History({ of, onClose }: { of: Of | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  // Keep the content while the drawer closes.
  const last = useRef(of);
  if (of) last.current = of;
  const shown = of ?? last.current;
  return (
    <SidePanel
      open={of !== undefined}
      onClose={onClose}
      title={t('settings.history')}
      sub={
        <Text fontFamily="mono" fontSize="sm" color="fg.muted" dir="ltr" overflowWrap="anywhere" w="fit-content">
          {shown?.name}
        </Text>
      }
      head={{ px: '0', pt: '0', pb: '0' }}
      maxW={{ base: '100vw', sm: '420px' }}
      overflowY="auto"
      px="5"
      py="4"
    >
      {shown && <Changes key={shown.name} of={shown} />}
    </SidePanel>
  );
}
