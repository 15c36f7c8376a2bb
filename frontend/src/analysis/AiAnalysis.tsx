import { Box, Button, Flex, Grid, GridItem, Link, Text, VisuallyHidden } from '@chakra-ui/react';
import type { AnalysisAnswer, Failure } from '@lightbox/contract/analysis/schemas.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import {
  ArrowsClockwiseIcon,
  CaretRightIcon,
  CloudWarningIcon,
  FileXIcon,
  HandPalmIcon,
  type Icon,
  ImagesIcon,
  LockKeyIcon,
  ProhibitIcon,
  RobotIcon,
  WarningCircleIcon,
} from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink, useParams } from 'react-router-dom';
import type { z } from 'zod';
import { useMay } from '../auth/session';
import { currentCode, i18n } from '../i18n';
import { AskLink } from '../images/AskLink';
import { hasEnded } from '../images/access';
import { useImage } from '../images/images';
import { socketAtom } from '../lib/connection';
import { errorText } from '../lib/errors';
import { fullName } from '../lib/format';
import { ApiError } from '../lib/http';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { EmptyState } from '../ui/EmptyState';
import { Page } from '../ui/Page';
import { Said } from '../ui/Said';
import { Waiting } from '../ui/Skeletons';
import { AboutImage, Confidence, MadeBy } from './Aside';
import { analysisOf, isRunning, runAgain } from './analysis';
import { Comparison } from './Comparison';
import { PickImage } from './PickImage';
import { ReviewBar } from './ReviewBar';
import { Running } from './Running';
import type { Completed } from './review';
import { Sections } from './Sections';
import { SignDialog } from './SignDialog';
import { SignedOpinion } from './SignedOpinion';
import { GoesTo, useGoing, WhereItGoes } from './target';
import { Versions } from './Versions';

type FailureOf = z.infer<typeof Failure>;

const Chip = () => {
  const { t } = useTranslation();
  return (
    <Flex
      align="center"
      gap="2"
      minH="30px"
      px="13px"
      borderRadius="full"
      bg="warning.subtle"
      color="warning.onSubtle"
      fontSize="sm"
      fontWeight="semibold"
    >
      <RobotIcon size={18} aria-hidden />
      {t('analysis.chip')}
    </Flex>
  );
};

function Crumbs({ caption }: { caption: string | undefined }) {
  const { t } = useTranslation();
  return (
    <Flex as="nav" aria-label={t('analysis.crumbs')} align="center" gap="1.5" mb="2" fontSize="xs" color="fg.muted">
      <Link asChild variant="underline" fontWeight="medium">
        <RouterLink to={paths.viewImages}>{t('images.title')}</RouterLink>
      </Link>
      {caption !== undefined && (
        <>
          <CaretRightIcon size={14} mirrored={document.dir === 'rtl'} aria-hidden />
          <Text as="span" truncate dir="auto">
            {caption || t('common.untitled')}
          </Text>
        </>
      )}
    </Flex>
  );
}

const BackToImages = () => {
  const { t } = useTranslation();
  return (
    <Button asChild variant="subtle">
      <RouterLink to={paths.viewImages}>
        <ImagesIcon />
        {t('analysis.pick.act')}
      </RouterLink>
    </Button>
  );
};

/** Says why there is no analysis, and what the viewer can do. */
function Refusal({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  const code = error instanceof ApiError ? error.code : '';
  const known: Record<string, { Icon: Icon; say: 'notAnalysable' | 'notVerified' | 'gone' | 'consentNeeded' }> = {
    NOT_ANALYSABLE: { Icon: FileXIcon, say: 'notAnalysable' },
    CONSENT_NEEDED: { Icon: HandPalmIcon, say: 'consentNeeded' },
    NOT_VERIFIED: { Icon: LockKeyIcon, say: 'notVerified' },
    NOT_FOUND: { Icon: ImagesIcon, say: 'gone' },
  };
  const row = known[code];
  if (row) {
    const { Icon, say } = row;
    return (
      <EmptyState
        as="h2"
        Icon={Icon}
        title={t(`analysis.${say}.title`)}
        text={t(`analysis.${say}.text`)}
        act={<BackToImages />}
      />
    );
  }
  return (
    <EmptyState
      as="h2"
      Icon={CloudWarningIcon}
      title={t('analysis.couldNot.title')}
      text={errorText(error)}
      act={
        <Button variant="subtle" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      }
    />
  );
}

/** Says that the share of the image has ended. */
function Ended({ image }: { image: Image }) {
  const { t } = useTranslation();
  const giver = image.sharedBy ?? image.owner;
  return (
    <Box role="status">
      <EmptyState
        as="h2"
        Icon={ProhibitIcon}
        title={t('images.card.endedTitle')}
        text={giver && <Said i18nKey="images.card.endedText" values={{ name: fullName(giver) }} />}
        act={<BackToImages />}
      />
    </Box>
  );
}

/**
 * Returns the reason of a failure in the language of the viewer, by its code. Without words for the code, returns the
 * English sentence to readers of English, and undefined to others.
 */
function reasonOf({ reason, reasonCode }: FailureOf) {
  if (currentCode() === 'en') return /\s/.test(reason) ? reason : undefined;
  return reasonCode && i18n.t(`analysis.reason.${reasonCode}`);
}

function Failed({ failure, again }: { failure: FailureOf; again: ReactNode }) {
  const { t } = useTranslation();
  const reason = reasonOf(failure);
  const said = reason && t('analysis.failed.said', { reason });
  return (
    <Box layerStyle="card">
      <EmptyState
        as="h2"
        Icon={WarningCircleIcon}
        title={t('analysis.failed.title')}
        text={
          <>
            {t('analysis.failed.text')}
            {said && (
              <>
                <br />
                {said}
              </>
            )}
            <GoesTo />
          </>
        }
        act={again}
      />
    </Box>
  );
}

/** Shows a failure as a toast, which screen readers hear. The page keeps its text, so the toast need not last. */
const tell = (text: string) =>
  // A toast renders synchronously, which React does not allow within an effect.
  queueMicrotask(() => toast.error(text, { id: 'analysis', lasting: false }));

/** Announces the end of an analysis once, if the page was open before, and each refusal. */
function useAnnouncement(answer: AnalysisAnswer | undefined, refusal: string | undefined) {
  const { t } = useTranslation();
  useEffect(() => {
    if (refusal) tell(refusal);
  }, [refusal]);
  const before = useRef(answer?.status);
  const [said, setSaid] = useState('');
  useEffect(() => {
    const was = before.current;
    before.current = answer?.status;
    const ran = was === 'queued' || was === 'active';
    if (ran && answer?.status === 'failed') tell(reasonOf(answer) || t('analysis.failed.title'));
    if (ran && answer?.status === 'completed') setSaid(t('analysis.finished'));
    else if (isRunning(answer)) setSaid('');
  }, [answer, t]);
  return said;
}

function Analysis({ imageId }: { imageId: string }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const live = useAtomValue(socketAtom) === 'on';
  const image = useImage(imageId);
  const going = useGoing(image);
  const query = useQuery({
    ...analysisOf(imageId),
    enabled: going.may,
    // The socket reports the progress. Polling covers lost events.
    refetchInterval: ({ state }) => (isRunning(state.data) ? (live ? 20_000 : 4_000) : false),
  });
  const again = useMutation({
    mutationFn: () => runAgain(cache, imageId),
    meta: { fallback: t('analysis.againFailed') },
  });
  // The draft that was opened to be signed, with its version. A newer run replaces the text of the page, and neither the
  // text in the dialog nor what was typed there: the server refuses the signature of an older version.
  const [signing, setSigning] = useState<Completed>();
  const answer = query.data;
  // A refusal hides an earlier answer that is still cached.
  const refused = query.error instanceof ApiError && [403, 404, 409].includes(query.error.status);
  const ended = image.data !== undefined && !image.data.isVerified && hasEnded(image.data);
  const failed = ended || (query.isError && (refused || !answer)) || Boolean(going.error);
  const error = going.error ?? query.error;
  const said = useAnnouncement(answer, failed && !ended && error ? errorText(error) : undefined);
  const running = isRunning(answer) || (query.isPending && !going.asks);
  const completed = answer?.status === 'completed' ? answer : undefined;
  const isOwn = completed?.notADiagnosis === false;
  const againButton = (act: string, variant: 'outline' | 'solid') => (
    <Button
      variant={variant}
      disabled={running}
      display={{ base: running ? 'none' : 'inline-flex', lg: 'inline-flex' }}
      onClick={() => again.mutate()}
      loading={again.isPending}
      loadingText={act}
    >
      <ArrowsClockwiseIcon mirrored={document.dir === 'rtl'} />
      {act}
    </Button>
  );
  return (
    <Page
      title={t(running ? 'analysis.running' : 'analysis.title')}
      crumbs={<Crumbs caption={image.data?.caption} />}
      aside={!isOwn && <Chip />}
      act={
        <Flex gap="2.5" wrap="wrap">
          {!failed && !going.asks && answer?.status !== 'failed' && againButton(t('analysis.again'), 'outline')}
          {image.data?.isVerified && <AskLink image={image.data} need="answer" variant="solid" />}
        </Flex>
      }
    >
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      {failed ? (
        <Box layerStyle="card">
          {ended ? (
            <Ended image={image.data} />
          ) : (
            <Refusal error={error} onRetry={() => void (going.error ? going.refetch() : query.refetch())} />
          )}
        </Box>
      ) : (
        <Grid
          // On a phone the result, with its warnings first, is above the facts.
          templateAreas={{ base: '"image" "result" "facts"', lg: '"image result" "facts result"' }}
          templateColumns={{ base: 'minmax(0, 1fr)', lg: '344px minmax(0, 1fr)' }}
          templateRows={{ lg: 'auto 1fr' }}
          rowGap="4"
          columnGap="6"
          alignItems="start"
        >
          <GridItem area="image">
            <AboutImage image={image.data} heatMap={completed?.heatMap} />
          </GridItem>
          <GridItem area="result">
            {going.asks && going.target && <WhereItGoes target={going.target} onAgree={going.agree} />}
            {!answer && !going.asks && (
              <Box layerStyle="card" p="6">
                <Waiting h="17px" w="32%" />
                <Waiting h="12px" w="84%" mt="4" />
                <Waiting h="12px" w="62%" mt="2.5" />
              </Box>
            )}
            {(answer?.status === 'queued' || answer?.status === 'active') && (
              <Running status={answer.status} progress={answer.progress} />
            )}
            {answer?.status === 'failed' && (
              <Failed failure={answer} again={againButton(t('analysis.failed.act'), 'solid')} />
            )}
            {completed && (
              <>
                <ReviewBar result={completed} image={image.data} onSign={setSigning} />
                <Sections result={completed} />
                <Comparison result={completed} />
              </>
            )}
            {answer && <Versions imageId={imageId} />}
          </GridItem>
          {completed && (
            <GridItem area="facts" display="flex" flexDirection="column" gap="4">
              {/* The score is the model's, and says nothing of conditions that the signer wrote. */}
              {!completed.edited?.includes('differentialDiagnosis') && <Confidence confidence={completed.confidence} />}
              <MadeBy result={completed} />
              <GoesTo />
            </GridItem>
          )}
          {signing && <SignDialog draft={signing} onClose={() => setSigning(undefined)} />}
        </Grid>
      )}
    </Page>
  );
}

/**
 * The screen "Analyzing", then "AI Medical Analysis". Without an image in the address, a choice of images. Patients
 * read the signed text.
 */
export function AiAnalysis() {
  const { id } = useParams();
  const runs = useMay('analysis.run');
  if (!id) return <PickImage />;
  return runs ? <Analysis key={id} imageId={id} /> : <SignedOpinion key={id} imageId={id} />;
}
