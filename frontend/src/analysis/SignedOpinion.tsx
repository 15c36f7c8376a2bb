import { Box, Flex, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { FileXIcon, InfoIcon, SealCheckIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { AskLink } from '../images/AskLink';
import { useImage } from '../images/images';
import { errorText } from '../lib/errors';
import { formatDateTime, fullName } from '../lib/format';
import { ApiError } from '../lib/http';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Page } from '../ui/Page';
import { Said } from '../ui/Said';
import { Waiting } from '../ui/Skeletons';
import { AboutImage } from './Aside';
import { analysisOf } from './analysis';
import { ReportButton } from './ReportButton';
import type { Completed } from './review';
import { Sections } from './Sections';

/** The signed text as its patient reads it: who signed it and when, their comment, and then the lists. */
function Signed({ result, image }: { result: Completed; image: Image | undefined }) {
  const { t } = useTranslation();
  const { signedBy, signedAt, comment, notADiagnosis } = result;
  return (
    <>
      <Box layerStyle="card" p={{ base: '4', lg: '5' }} mb="4" data-review="signed">
        {signedBy && (
          <Note
            Icon={SealCheckIcon}
            tone="success"
            title={<Said i18nKey="analysis.review.signedBy" values={{ name: fullName(signedBy) }} />}
          >
            {signedAt && <time dateTime={signedAt}>{formatDateTime(signedAt)}</time>}
          </Note>
        )}
        {comment && (
          <Text mt="4" dir="auto" whiteSpace="pre-line" maxW="68ch" lineHeight="1.6" overflowWrap="anywhere">
            {comment}
          </Text>
        )}
        {notADiagnosis && (
          <Box mt="4">
            <Note Icon={InfoIcon} tone="warning" title={t('analysis.review.notADiagnosis')}>
              {t('analysis.review.notADiagnosisText')}
            </Note>
          </Box>
        )}
        <Flex mt="4" gap="2.5" wrap="wrap">
          <ReportButton imageId={result.imageId} />
          {image && <AskLink image={image} need="answer" variant="ghost" />}
        </Flex>
      </Box>
      <Sections result={result} />
    </>
  );
}

/** The second opinion about an image, for people who read signed texts only. */
export function SignedOpinion({ imageId }: { imageId: string }) {
  const { t } = useTranslation();
  const image = useImage(imageId);
  const { data, error, refetch } = useQuery(analysisOf(imageId));
  // A refusal hides an earlier answer that is still cached.
  const nothing = error instanceof ApiError && (error.status === 404 || error.status === 403);
  return (
    <Page title={t('analysis.review.title')}>
      {nothing && (
        <Box layerStyle="card" role="status">
          <EmptyState
            as="h2"
            Icon={FileXIcon}
            title={t('analysis.review.nothing')}
            text={t('analysis.review.nothingText')}
          />
        </Box>
      )}
      {error && !nothing && !data && <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />}
      {!error && !data && (
        <Box layerStyle="card" p="6" role="status" aria-label={t('common.loading')}>
          <Waiting h="17px" w="32%" />
          <Waiting h="12px" w="84%" mt="4" />
        </Box>
      )}
      {!nothing && data?.status === 'completed' && (
        <Box
          display="grid"
          gap="5"
          alignItems="start"
          gridTemplateColumns={{ base: 'minmax(0, 1fr)', lg: '344px minmax(0, 1fr)' }}
        >
          <AboutImage image={image.data} />
          <Box minW="0">
            <Signed result={data} image={image.data} />
          </Box>
        </Box>
      )}
    </Page>
  );
}
