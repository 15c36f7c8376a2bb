import { Box, Button, Text } from '@chakra-ui/react';
import { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import type { AnalysisTarget } from '@lightbox/contract/analysis/schemas.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { PaperPlaneTiltIcon } from '@phosphor-icons/react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { send } from '../lib/http';
import { EmptyState } from '../ui/EmptyState';
import { Said } from '../ui/Said';

/** The provider of analyses. It changes only when the server starts again. */
const targetQuery = queryOptions({
  queryKey: ['analysisTarget'],
  queryFn: async ({ signal }) => (await send(analysisCalls.getAnalysisTarget, {}, { signal })).data,
  staleTime: 300_000,
});

/**
 * An image without an analysis stays here until the viewer has read where it goes. `may`: true when the analysis may be
 * asked for, because it exists, or stays on this clinic's machines, or the viewer agreed.
 */
export function useGoing(image: { data: Image | undefined; isError: boolean }) {
  const { data: target, error, refetch } = useQuery(targetQuery);
  const [agreed, setAgreed] = useState(false);
  const { status = 'none' } = image.data?.analysis ?? {};
  // Without access to the image the server refuses, and starts nothing.
  const begun = image.isError || image.data?.isVerified === false || status !== 'none';
  const stays = target !== undefined && target.sentTo === null;
  const may = agreed || stays || begun;
  return {
    target,
    error: may ? null : error,
    refetch,
    may,
    asks: !may && Boolean(target && image.data),
    agree: () => setAgreed(true),
  };
}

/** Names the host and the model before the picture goes there. */
export function WhereItGoes({ target, onAgree }: { target: AnalysisTarget; onAgree: () => void }) {
  const { t } = useTranslation();
  return (
    <Box layerStyle="card">
      <EmptyState
        as="h2"
        Icon={PaperPlaneTiltIcon}
        title={t('analysis.going.title')}
        text={
          <>
            <Target target={target} />
            <br />
            {t('analysis.going.text')}
          </>
        }
        act={<Button onClick={onAgree}>{t('analysis.going.act')}</Button>}
      />
    </Box>
  );
}

const Target = ({ target: { sentTo, model } }: { target: AnalysisTarget }) => (
  <Said i18nKey="analysis.going.to" values={{ host: sentTo ?? '', model: model ?? '' }} />
);

/** One line that names the host and the model, where a picture can go there or is on its way. */
export function GoesTo() {
  const { data: target } = useQuery(targetQuery);
  if (!target?.sentTo) return null;
  return (
    <Text as="span" display="block" fontSize="sm" color="fg.muted" overflowWrap="anywhere" data-sent-to>
      <Target target={target} />
    </Text>
  );
}
