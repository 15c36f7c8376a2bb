import { Box, Button, Dialog, Flex, IconButton, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { Series, Study } from '@lightbox/contract/studies/schemas.js';
import {
  CaretLeftIcon,
  CaretRightIcon,
  ClockCounterClockwiseIcon,
  DownloadSimpleIcon,
  PencilSimpleIcon,
  ScanIcon,
} from '@phosphor-icons/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { actionsOf, startOfShare } from '../images/access';
import type { Opening } from '../images/dialogs';
import { FactRows } from '../images/FactRows';
import { ImageBadges, ImageLine, StudyLine } from '../images/ImageCard';
import { useImage } from '../images/images';
import { GoneWell, LargeDialog } from '../images/LargeDialog';
import { OtherViewer } from '../images/OtherViewer';
import { Picture } from '../images/Picture';
import { ShareAndAi } from '../images/ShareAndAi';
import { useSubject } from '../images/studies';
import { imagesOf, stackOf, titleOf } from '../images/subject';
import { errorText } from '../lib/errors';
import { formatDate, formatDateTime, fullName, ltr } from '../lib/format';
import { ApiError } from '../lib/http';
import { paths } from '../lib/paths';
import { useNow } from '../lib/useNow';
import { Countdown } from '../ui/Countdown';
import { LoadFailed } from '../ui/LoadFailed';
import { Rows } from '../ui/Rows';
import { Waiting } from '../ui/Skeletons';
import { useStudyDownload } from './download';

function Facts({ image, study }: { image: Image; study: Study | undefined }) {
  const { t } = useTranslation();
  return (
    <FactRows
      rows={[
        [t('images.view.patient'), image.patient && <bdi>{fullName(image.patient)}</bdi>],
        [t('images.view.owner'), image.owner && <bdi>{fullName(image.owner)}</bdi>],
        [t('images.view.sharedBy'), image.sharedBy && <bdi>{fullName(image.sharedBy)}</bdi>],
        [t('images.view.uploaded'), formatDateTime(image.createAt)],
        [t('images.view.studied'), study?.studyDate && formatDate(study.studyDate)],
      ]}
    />
  );
}

/** Shows one image of the study, with buttons for the ones before and after. The first one stands for the study. */
function Film({
  row,
  all,
  chosen,
  onChoose,
}: {
  row: Image;
  all: string[];
  chosen: string;
  onChoose: (id: string) => void;
}) {
  const { t } = useTranslation();
  const { data } = useImage(chosen === row.id ? undefined : chosen);
  const shown = chosen === row.id ? row : data;
  const at = all.indexOf(chosen);
  const step = (by: number, label: string, Icon: typeof CaretLeftIcon) => {
    const next = all[at + by];
    return (
      <IconButton
        variant="ghost"
        aria-label={label}
        disabled={next === undefined}
        onClick={() => next && onChoose(next)}
      >
        <Icon mirrored={document.dir === 'rtl'} />
      </IconButton>
    );
  };
  return (
    <Flex direction="column" minW="0">
      {shown ? (
        <Picture key={chosen} image={shown} open />
      ) : (
        <Box bg="film.bg" minH={{ base: '44dvh', lg: 'min(74dvh, 720px)' }} aria-busy />
      )}
      {all.length > 1 && at >= 0 && (
        <Flex align="center" justify="center" gap="3" py="1.5" borderBottomWidth={{ base: '1px', lg: '0' }}>
          {step(-1, t('studies.previous'), CaretLeftIcon)}
          <Text fontSize="sm" fontVariantNumeric="tabular-nums" aria-live="polite">
            {t('studies.at', { at: at + 1, of: all.length })}
          </Text>
          {step(1, t('studies.next'), CaretRightIcon)}
        </Flex>
      )}
    </Flex>
  );
}

/** Names a series by its number and its description in the file. */
function useSeriesName() {
  const { t } = useTranslation();
  return ({ number, description }: Series) => {
    if (description) return number === undefined ? description : `${number} · ${description}`;
    return number === undefined ? t('studies.unnamed') : t('studies.numbered', { number });
  };
}

/** Lists the series of an examination. Each one opens in the viewer at its first image. */
function SeriesList({ studyId, series }: { studyId: string; series: readonly Series[] }) {
  const { t } = useTranslation();
  const nameOf = useSeriesName();
  return (
    <Box as="section">
      <Text as="h3" fontSize="sm" fontWeight="semibold" mb="1.5">
        {t('studies.series')}
      </Text>
      <Rows>
        {series.map((one) => (
          <Box as="li" key={one.id} borderTopWidth="1px" borderColor="border" _first={{ borderTopWidth: '0' }}>
            <Flex
              asChild
              align="center"
              gap="3"
              px="3"
              py="2"
              minH="touch"
              fontSize="sm"
              color="fg"
              textDecoration="none"
              focusVisibleRing="inside"
              _hover={{ bg: 'bg.muted' }}
            >
              <Link to={`${paths.studyViewer(studyId)}?image=${one.images[0]}`}>
                <Text as="span" flex="1" minW="0" fontWeight="medium" overflowWrap="anywhere" dir="auto">
                  {nameOf(one)}
                </Text>
                {one.modality && <Text as="span">{ltr(one.modality)}</Text>}
                <Text as="span" color="fg.muted" fontVariantNumeric="tabular-nums" whiteSpace="nowrap">
                  {t('studies.images', { count: one.images.length })}
                </Text>
              </Link>
            </Flex>
          </Box>
        ))}
      </Rows>
    </Box>
  );
}

interface ActsProps extends Pick<Opening, 'onAsk'> {
  image: Image;
  chosen: string;
  can: ReturnType<typeof actionsOf>;
}

function Acts({ image, chosen, can, onAsk }: ActsProps) {
  const { t } = useTranslation();
  const saving = useStudyDownload(image);
  const study = stackOf(image);
  if (!study) return null;
  return (
    <Flex direction="column" gap="2.5" mt="auto" pt="2">
      <Button asChild>
        <Link to={paths.studyViewer(study.id)}>
          <ScanIcon />
          {t('studies.viewer')}
        </Link>
      </Button>
      {can.download ? (
        <Button
          variant="subtle"
          onClick={() => saving.mutate()}
          loading={saving.isPending}
          loadingText={t('studies.download')}
        >
          <DownloadSimpleIcon />
          {t('studies.download')}
        </Button>
      ) : (
        <Text fontSize="sm" color="fg.muted">
          {t('images.view.noDownload')}
        </Text>
      )}
      <ShareAndAi image={image} can={can} onAsk={onAsk} analysedId={chosen} analyseLabel={t('studies.ai')} />
      <OtherViewer key={image.id} image={image} can={can} />
      {(can.timeline || can.rename) && (
        <Flex gap="2.5">
          {can.timeline && (
            <Button variant="ghost" flex="1" onClick={() => onAsk('timeline', image)}>
              <ClockCounterClockwiseIcon />
              {t('images.timeline.act')}
            </Button>
          )}
          {can.rename && (
            <Button variant="ghost" flex="1" onClick={() => onAsk('rename', image)}>
              <PencilSimpleIcon />
              {t('studies.rename.ask')}
            </Button>
          )}
        </Flex>
      )}
      <Text fontSize="xs" color="fg.muted">
        {t('studies.recorded')}
      </Text>
    </Flex>
  );
}

/** Shows a study: its images one by one, its series, its facts, and the actions that the viewer may take. */
export function StudyDialog({ open, image: asked, onClose, onExited, onAsk, finalFocus }: Opening) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const { image = asked, study, error, retry } = useSubject(open ? asked : undefined);
  const now = useNow(15_000, open);
  const [wanted, setWanted] = useState<string>();
  const summary = image && stackOf(image);
  if (!image || !summary) return null;
  const all = imagesOf(study);
  const chosen = wanted && all.includes(wanted) ? wanted : image.id;
  // A share of one image may allow the download of that image, and not of the study.
  const can = actionsOf(
    viewer,
    { ...image, ...(study?.download === undefined ? {} : { download: study.download }) },
    now,
  );
  const missing = error instanceof ApiError && error.status === 404;
  const gone = !can.open || missing;
  return (
    <LargeDialog
      open={open}
      onClose={onClose}
      onExited={() => {
        setWanted(undefined);
        onExited();
      }}
      finalFocus={finalFocus}
      picture={
        gone ? (
          <GoneWell image={image} title={t('studies.gone')} />
        ) : (
          <Film row={image} all={all} chosen={chosen} onChoose={setWanted} />
        )
      }
    >
      <Box pe="9">
        <Dialog.Title dir="auto" overflowWrap="anywhere">
          {titleOf(image, t('common.untitled'))}
        </Dialog.Title>
        <Text fontSize="sm" color="fg.muted" mt="1">
          <ImageLine image={image} />
        </Text>
        <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
          <StudyLine study={summary} isVerified={!gone} />
        </Text>
      </Box>
      <Flex gap="1.5" wrap="wrap">
        <ImageBadges image={image} />
      </Flex>
      {image.expiresAt && <Countdown expiresAt={image.expiresAt} startedAt={startOfShare(image)} />}
      {!gone && (
        <>
          <Facts image={image} study={study} />
          {error && <LoadFailed text={errorText(error)} onRetry={retry} />}
          {!study && !error && <Waiting h="44px" />}
          {study?.kind === 'dicom' && all.length > 0 && <SeriesList studyId={study.id} series={study.series ?? []} />}
          <Acts image={image} chosen={chosen} can={can} onAsk={onAsk} />
        </>
      )}
    </LargeDialog>
  );
}
