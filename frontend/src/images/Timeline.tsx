import '../i18n/further';
import { Box, Button, Flex, Text } from '@chakra-ui/react';
import type { TimelineEntry } from '@lightbox/contract/images/insight.js';
import { ClockCounterClockwiseIcon, RobotIcon } from '@phosphor-icons/react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ActionMark } from '../audit/ActionMark';
import { reasonText } from '../audit/reason';
import { useViewer } from '../auth/session';
import { errorText } from '../lib/errors';
import { formatDateTime, fullName } from '../lib/format';
import { keyOf } from '../lib/names';
import { useIsDesktop } from '../lib/useMedia';
import { EmptyState } from '../ui/EmptyState';
import { EndedWell } from '../ui/ImageWell';
import { LoadFailed } from '../ui/LoadFailed';
import { SidePanel } from '../ui/SidePanel';
import { PersonSkeleton } from '../ui/Skeletons';
import { UserAvatar } from '../ui/UserAvatar';
import { actionsOf } from './access';
import type { AboutImage } from './dialogs';
import { timelineOf } from './insight';
import { type PlainEntry, plainOf, type Sentence } from './plainTimeline';
import { useSubject } from './studies';
import { titleOf } from './subject';

function Entry({ entry }: { entry: TimelineEntry }) {
  const { t } = useTranslation();
  const { user, createAt, reason } = entry;
  return (
    <Box as="li" px="5" py="3" borderTopWidth="1px" borderColor="border" _first={{ borderTopWidth: '0' }}>
      <ActionMark entry={entry} />
      <Flex align="center" gap="2" mt="2" ps="30px" fontSize="sm" color="fg.muted" wrap="wrap">
        {user ? <UserAvatar person={user} size="sm" /> : <RobotIcon size={18} aria-hidden />}
        <Text as="span" color="fg" fontWeight="medium" overflowWrap="anywhere">
          <bdi>{user ? fullName(user) : t('audit.system')}</bdi>
        </Text>
        <Text as="time" ms="auto" fontSize="xs" fontVariantNumeric="tabular-nums" {...{ dateTime: createAt }}>
          {formatDateTime(createAt)}
        </Text>
      </Flex>
      {reason && (
        <Text fontSize="xs" color="fg.muted" mt="1" ps="30px" dir="auto" overflowWrap="anywhere">
          {reasonText(reason)}
        </Text>
      )}
    </Box>
  );
}

const ownSentences = ['looked', 'added', 'shared', 'code', 'wrongCode', 'refused'] as const;
const isOwn = (sentence: Sentence): sentence is (typeof ownSentences)[number] =>
  (ownSentences as readonly string[]).includes(sentence);

/** One line of the timeline in plain words, for patients. */
function PlainLine({ line: { entry, sentence, times } }: { line: PlainEntry }) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const { user, createAt, actiontype } = entry;
  const name = user ? fullName(user) : t('audit.system');
  const own = user?.id === viewer.id;
  const action = t(`audit.action.${keyOf(actiontype)}`);
  const time = formatDateTime(createAt);
  return (
    <Flex as="li" gap="3" px="5" py="3" borderTopWidth="1px" borderColor="border" _first={{ borderTopWidth: '0' }}>
      {user ? <UserAvatar person={user} size="sm" /> : <RobotIcon size={24} aria-hidden />}
      <Box minW="0" flex="1">
        <Text fontWeight="medium" overflowWrap="anywhere">
          {own && isOwn(sentence)
            ? t(`images.timeline.plain.own.${sentence}`)
            : t(`images.timeline.plain.${sentence}`, { name, action })}
        </Text>
        <Text as="time" fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums" {...{ dateTime: createAt }}>
          {times > 1 ? t('images.timeline.plain.times', { time, times }) : time}
        </Text>
      </Box>
    </Flex>
  );
}

function Entries({ imageId }: { imageId: string }) {
  const { t } = useTranslation();
  const { role } = useViewer();
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    timelineOf(imageId),
  );
  const entries = data?.pages.flatMap((page) => page.data) ?? [];
  if (isPending)
    return (
      <Box px="5" py="2" role="status" aria-label={t('common.loading')}>
        {[1, 2, 3, 4].map((row) => (
          <PersonSkeleton key={row} />
        ))}
      </Box>
    );
  if (error && !data) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (entries.length === 0)
    return (
      <EmptyState
        Icon={ClockCounterClockwiseIcon}
        title={t('images.timeline.empty')}
        text={t('images.timeline.emptyText')}
      />
    );
  return (
    <>
      <Box as="ul" listStyleType="none" aria-label={t('images.timeline.title')}>
        {role === 'patient'
          ? plainOf(entries).map((line) => <PlainLine key={line.entry.id} line={line} />)
          : entries.map((entry) => <Entry key={entry.id} entry={entry} />)}
      </Box>
      {hasNextPage && (
        <Flex justify="center" py="3">
          <Button variant="ghost" size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('images.timeline.older')}
          </Button>
        </Flex>
      )}
    </>
  );
}

/** Lists the events of an image or a study: shares, openings, wrong codes, downloads. New events appear while it is open. */
export function Timeline({ open, image: asked, onClose, finalFocus }: AboutImage) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const desktop = useIsDesktop();
  const { image = asked } = useSubject(open ? asked : undefined);
  if (!image) return null;
  return (
    <SidePanel
      open={open}
      onClose={onClose}
      finalFocusEl={finalFocus}
      placement={desktop ? 'end' : 'bottom'}
      title={t('images.timeline.title')}
      sub={
        <Text fontSize="sm" color="fg.muted" overflowWrap="anywhere">
          <bdi>{titleOf(image, t('common.untitled'))}</bdi>
        </Text>
      }
      maxW={{ base: '100vw', lg: '440px' }}
      {...(desktop && { borderStartStartRadius: 'sheet', borderEndStartRadius: 'sheet' })}
      textStyle="none"
      fontSize="md"
    >
      <Box overflowY="auto" minH="0" flex="1" tabIndex={0} pb="env(safe-area-inset-bottom)">
        {actionsOf(viewer, image).timeline ? (
          <Entries imageId={image.id} />
        ) : (
          <Box p="4">
            <EndedWell title={t('images.card.endedTitle')} />
          </Box>
        )}
      </Box>
    </SidePanel>
  );
}
