import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { mayWithdraw } from '@lightbox/contract/analysis/policy.js';
import { mayReview } from '@lightbox/contract/analysis/states.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import {
  ClockCounterClockwiseIcon,
  type Icon,
  PencilSimpleLineIcon,
  ProhibitIcon,
  SealCheckIcon,
  SignatureIcon,
  WarningIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewer } from '../auth/session';
import { actionsOf } from '../images/access';
import { formatDateTime, fullName } from '../lib/format';
import { Note } from '../ui/Note';
import { Said } from '../ui/Said';
import { ReportButton } from './ReportButton';
import { type Completed, versionsOf } from './review';
import { WithdrawDialog } from './WithdrawDialog';

const looks = {
  none: { Icon: ClockCounterClockwiseIcon, tone: 'warning' },
  draft: { Icon: PencilSimpleLineIcon, tone: 'warning' },
  signed: { Icon: SealCheckIcon, tone: 'success' },
  withdrawn: { Icon: ProhibitIcon, tone: 'danger' },
} as const satisfies Record<Completed['review']['state'], { Icon: Icon; tone: string }>;

interface Props {
  result: Completed;
  image: Image | undefined;
  /** Asks for the signature under the text that is shown now. */
  onSign: (draft: Completed) => void;
}

/** Says if the text is a draft, signed or withdrawn, and offers to staff the moves that they may make. */
export function ReviewBar({ result, image, onSign }: Props) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const [withdrawing, setWithdrawing] = useState(false);
  const { data: versions } = useQuery(versionsOf(result.imageId));
  const { review, stale, comment, edited = [] } = result;
  const { state, by } = review;
  const current = versions?.find((version) => version.current);
  const signs = image !== undefined && actionsOf(viewer, image).sign && mayReview('sign', state);
  const withdraws = mayReview('withdraw', state) && mayWithdraw(viewer, current?.by.id);
  return (
    <Box layerStyle="card" p={{ base: '4', lg: '5' }} mb="4" data-review={state}>
      <Note
        {...looks[state]}
        title={
          by ? (
            <Said i18nKey={`analysis.review.${state}By`} values={{ name: fullName(by) }} />
          ) : (
            t(`analysis.review.${state}`)
          )
        }
      >
        {review.at && <time dateTime={review.at}>{formatDateTime(review.at)}</time>}
        {(state === 'draft' || state === 'none') && t(`analysis.review.${state}Text`)}
        {state === 'draft' && current && <Box>{t('analysis.review.earlierStays')}</Box>}
        {state === 'withdrawn' && review.comment && <Box dir="auto">{review.comment}</Box>}
      </Note>
      {stale && (
        <Box mt="3">
          <Note Icon={WarningIcon} tone="warning" title={t('analysis.review.stale')}>
            {t('analysis.review.staleText')}
          </Note>
        </Box>
      )}
      {state === 'signed' && comment && (
        <Text mt="4" dir="auto" whiteSpace="pre-line" maxW="68ch" overflowWrap="anywhere">
          {comment}
        </Text>
      )}
      {edited.length > 0 && (
        <Text mt="3" fontSize="sm" color="fg.muted">
          {t('analysis.review.edited', {
            fields: edited.map((field) => t(`analysis.review.field.${field}`)).join(t('analysis.review.and')),
          })}
        </Text>
      )}
      <Flex gap="2.5" wrap="wrap" mt="4" _empty={{ display: 'none' }}>
        {signs && (
          <Button onClick={() => onSign(result)}>
            <SignatureIcon />
            {t('analysis.review.sign')}
          </Button>
        )}
        {state !== 'none' && <ReportButton imageId={result.imageId} />}
        {withdraws && (
          <Button variant="surface" colorPalette="danger" onClick={() => setWithdrawing(true)}>
            <ProhibitIcon />
            {t('analysis.review.withdraw')}
          </Button>
        )}
      </Flex>
      {withdrawing && <WithdrawDialog imageId={result.imageId} onClose={() => setWithdrawing(false)} />}
    </Box>
  );
}
