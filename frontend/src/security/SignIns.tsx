import { Box, Flex, Text } from '@chakra-ui/react';
import type { SignInEntry } from '@lightbox/contract/auth/securityCalls.js';
import { CheckCircleIcon, XCircleIcon } from '@phosphor-icons/react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDateTime, ltr } from '../lib/format';
import { usePaging } from '../lib/usePaging';
import { LoadFailed } from '../ui/LoadFailed';
import { Arrows } from '../ui/Pager';
import { Waiting } from '../ui/Skeletons';
import { signIns } from './security';

/** Returns a function that describes a sign-in: the method, and the reason if it failed. */
function useWords() {
  const { t } = useTranslation();
  return ({ actiontype, status, reason }: SignInEntry): string => {
    if (actiontype === 'auth.confirm' && status === 'success') {
      const by = { recoveryCode: 'byRecovery', passkey: 'byPasskey' } as const;
      if (reason.startsWith('signOn:')) return t('security.signIns.bySignOn');
      return t(`security.signIns.${by[reason as keyof typeof by] ?? 'done'}`);
    }
    if (actiontype === 'auth.confirm') return t('security.signIns.wrongCode');
    if (actiontype === 'auth.login') {
      return t(reason === 'INVALID_CREDENTIALS' ? 'security.signIns.wrongPassword' : 'security.signIns.refused');
    }
    if (actiontype === 'auth.changePassword' && status !== 'success') return t('security.signIns.wrongPassword');
    const key = actiontype.replace('.', '_') as 'auth_resetPassword';
    return t(`security.signIns.${key}`);
  };
}

/** Lists the latest sign-ins, failed ones included. */
export function SignIns() {
  const { t } = useTranslation();
  const words = useWords();
  const paging = usePaging([5]);
  const { data, error, refetch } = useQuery({ ...signIns(paging.query), placeholderData: keepPreviousData });
  const rows = data?.data;
  if (error && !rows) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!rows) return <Waiting h="44px" w="80%" />;
  if (rows.length === 0) return <Text color="fg.muted">{t('security.signIns.none')}</Text>;
  return (
    <>
      <Box as="ul" listStyleType="none" aria-label={t('security.signIns.title')}>
        {rows.map((row) => {
          const good = row.status === 'success';
          const Mark = good ? CheckCircleIcon : XCircleIcon;
          return (
            <Flex as="li" key={row.id} gap="3" py="2.5" borderTopWidth="1px" _first={{ borderTopWidth: '0' }}>
              <Box color={good ? 'success.fg' : 'danger.fg'} flex="none" mt="2px">
                <Mark size={20} weight="fill" aria-hidden />
              </Box>
              <Box minW="0">
                <Text fontWeight="semibold">{words(row)}</Text>
                <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
                  {formatDateTime(row.createAt)} · {ltr(row.ipaddress)}
                </Text>
              </Box>
            </Flex>
          );
        })}
      </Box>
      {(data.pagination?.hasNextPage || paging.page > 1) && (
        <Flex justify="flex-end" mt="3">
          <Arrows
            label={t('security.signIns.pages')}
            hasPrev={data.pagination?.hasPrevPage ?? false}
            hasNext={data.pagination?.hasNextPage ?? false}
            onPrev={() => paging.prev(data.pagination)}
            onNext={() => paging.next(data.pagination)}
          />
        </Flex>
      )}
    </>
  );
}
