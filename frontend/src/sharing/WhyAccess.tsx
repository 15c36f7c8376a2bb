import { Box, Flex, Grid, Text } from '@chakra-ui/react';
import type { AccessExplanation } from '@lightbox/contract/images/insight.js';
import { type Explained, explained } from '@lightbox/contract/images/names.js';
import { CheckCircleIcon, MinusCircleIcon, QuestionIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { whyOf } from '../images/insight';
import { errorText } from '../lib/errors';
import { formatDateTime } from '../lib/format';
import { LoadFailed } from '../ui/LoadFailed';
import { Waiting } from '../ui/Skeletons';

/** Shows when the share was created, when it was verified, and when it ends or ended. */
function ShareDates({ share }: { share: NonNullable<AccessExplanation['share']> }) {
  const { t } = useTranslation();
  const { createAt, verifiedAt, expiresAt, endedAt } = share;
  const over = share.state === 'revoked' || share.state === 'expired';
  const end = over ? (share.state === 'revoked' ? endedAt : expiresAt) : expiresAt;
  const rows: [string, string | null][] = [
    [t('sharing.why.given'), createAt],
    [t('sharing.why.verified'), verifiedAt],
    [t(over ? 'sharing.why.ended' : 'sharing.why.ends'), end],
  ];
  return (
    <Grid as="dl" templateColumns="auto 1fr" columnGap="4" rowGap="1" fontSize="xs" mt="2">
      {rows.map(([name, at]) => (
        <Box key={name} display="contents">
          <Text as="dt" color="fg.muted">
            {name}
          </Text>
          <Text as="dd" textAlign="end" fontVariantNumeric="tabular-nums">
            {at ? formatDateTime(at) : t('sharing.why.never')}
          </Text>
        </Box>
      ))}
    </Grid>
  );
}

function Answer({ answer }: { answer: AccessExplanation }) {
  const { t } = useTranslation();
  return (
    <>
      <Text fontSize="sm" fontWeight="semibold">
        {t(`sharing.why.because.${answer.because}`)}
      </Text>
      {answer.share && (
        <>
          <Text fontSize="xs" color="fg.muted" mt="1">
            {t(`sharing.why.state.${answer.share.state}`)}
          </Text>
          <ShareDates share={answer.share} />
        </>
      )}
      <Grid as="ul" listStyleType="none" templateColumns={{ base: '1fr', sm: '1fr 1fr' }} gap="1.5" mt="3">
        {(Object.keys(explained) as Explained[]).map((name) => {
          const { may, because } = answer.decisions[name];
          const Mark = may ? CheckCircleIcon : MinusCircleIcon;
          return (
            <Flex as="li" key={name} gap="2" fontSize="xs" align="flex-start">
              <Box flex="none" color={may ? 'success.fg' : 'fg.muted'} mt="1px">
                <Mark size={16} weight={may ? 'fill' : 'regular'} aria-hidden />
              </Box>
              <Box minW="0">
                <Text as="span" fontWeight="semibold">
                  {t(`sharing.why.${may ? 'may' : 'mayNot'}.${name}`)}
                </Text>
                {because !== answer.because && (
                  <Text as="span" display="block" color="fg.muted">
                    {t(`sharing.why.because.${because}`)}
                  </Text>
                )}
              </Box>
            </Flex>
          );
        })}
      </Grid>
      <Text fontSize="xs" color="fg.muted" mt="3">
        {t('sharing.why.recorded')}
      </Text>
    </>
  );
}

/** For administrators: shows the server's decision about one person and one image, with its ground. */
export function WhyAccess({ imageId, userId, name }: { imageId: string; userId: string; name: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(whyOf(imageId, userId));
  const panel = useRef<HTMLElement>(null);
  // The panel opens near the lower edge of a scrolling sheet: scroll it into view.
  useEffect(() => {
    if (data) panel.current?.scrollIntoView?.({ block: 'nearest' });
  }, [data]);
  return (
    <Box
      ref={panel}
      as="section"
      aria-label={t('sharing.why.ask', { name })}
      borderRadius="box"
      bg="bg.subtle"
      px="4"
      py="3"
      w="full"
      aria-busy={!data && !error}
    >
      <Flex as="h4" align="center" gap="2" fontSize="xs" color="fg.muted" mb="1.5">
        <QuestionIcon size={16} aria-hidden />
        {t('sharing.why.ask', { name })}
      </Flex>
      {data ? (
        <Answer answer={data} />
      ) : error ? (
        <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <>
          <Waiting h="14px" w="70%" />
          <Waiting h="12px" w="50%" mt="2.5" />
        </>
      )}
    </Box>
  );
}
