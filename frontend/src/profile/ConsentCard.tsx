import { Box, Text } from '@chakra-ui/react';
import { type Consents, consentAnswers, consentCalls } from '@lightbox/contract/consents/calls.js';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { put } from '../lib/live';
import { usePublicSettings } from '../lib/publicSettings';
import { Card } from '../ui/Card';
import { LoadFailed } from '../ui/LoadFailed';
import { Segment } from '../ui/Segment';

const consents = queryOptions({
  queryKey: ['consents'],
  queryFn: async ({ signal }) => (await send(consentCalls.getConsents, {}, { signal })).data,
});

/** Asks a patient if a computer may analyse their images. Shown while the clinic asks. */
export function ConsentCard() {
  const { t } = useTranslation();
  const asked = usePublicSettings()['analysis.consent'] === 'ask';
  const label = useId();
  const cache = useQueryClient();
  const { data, error, refetch } = useQuery({ ...consents, enabled: asked });
  const { mutate, isPending } = useMutation({
    mutationFn: async (body: Consents) => (await send(consentCalls.setConsents, { body })).data,
    onSuccess: (answer) => put(cache, consents.queryKey, answer),
    meta: { fallback: t('analysis.consent.failed') },
  });
  if (!asked) return null;
  return (
    <Card title={t('analysis.consent.title')}>
      <Text id={label} fontSize="sm" mb="3">
        {t('analysis.consent.question')}
      </Text>
      {error && !data ? (
        <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Segment
          name="analysis-consent"
          labelledBy={label}
          disabled={isPending || !data}
          selected={data?.analysis ?? ''}
          options={consentAnswers
            .filter((answer) => answer !== 'unset')
            .map((value) => ({ value, label: t(`analysis.consent.${value}`) }))}
          onChange={({ target }) => mutate({ analysis: target.value as Consents['analysis'] })}
        />
      )}
      <Box mt="3" fontSize="sm" color="fg.muted">
        {t('analysis.consent.text')}
      </Box>
    </Card>
  );
}
