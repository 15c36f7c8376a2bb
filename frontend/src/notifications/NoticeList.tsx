import { Box, Button, Flex, Heading, IconButton, Text, VisuallyHidden } from '@chakra-ui/react';
import type { NotificationKind } from '@lightbox/contract/audit/actions.js';
import type { Notification } from '@lightbox/contract/notifications/calls.js';
import {
  BellIcon,
  CheckIcon,
  FirstAidIcon,
  HandHeartIcon,
  HandPalmIcon,
  type Icon,
  ImageIcon,
  LinkIcon,
  LockKeyIcon,
  ProhibitIcon,
  ScanIcon,
  SealCheckIcon,
  SignatureIcon,
  SparkleIcon,
  StackIcon,
  TrayArrowDownIcon,
  UserCheckIcon,
  UsersIcon,
  WarningIcon,
  WebhooksLogoIcon,
} from '@phosphor-icons/react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { formatDateTime, formatDay, formatTime } from '../lib/format';
import { useNow } from '../lib/useNow';
import { EmptyState } from '../ui/EmptyState';
import { PersonSkeleton } from '../ui/Skeletons';
import { Tooltip } from '../ui/Tooltip';
import { allOf, notices, useRead } from './notifications';
import { addressOf, viewerOf } from './places';
import { wordsOf } from './wording';

const looks: Record<NotificationKind, { Icon: Icon; tone: string }> = {
  'share.created': { Icon: ImageIcon, tone: 'info' },
  'share.verified': { Icon: SealCheckIcon, tone: 'success' },
  'share.locked': { Icon: LockKeyIcon, tone: 'warning' },
  'share.revoked': { Icon: ProhibitIcon, tone: 'danger' },
  'guest.opened': { Icon: LinkIcon, tone: 'info' },
  'study.complete': { Icon: StackIcon, tone: 'success' },
  'request.received': { Icon: TrayArrowDownIcon, tone: 'success' },
  'emergency.opened': { Icon: FirstAidIcon, tone: 'danger' },
  'emergency.questioned': { Icon: FirstAidIcon, tone: 'warning' },
  'emergency.answered': { Icon: FirstAidIcon, tone: 'info' },
  'carer.named': { Icon: HandHeartIcon, tone: 'info' },
  'carer.accepted': { Icon: HandHeartIcon, tone: 'success' },
  'carer.ended': { Icon: HandHeartIcon, tone: 'warning' },
  'analysis.completed': { Icon: SparkleIcon, tone: 'accent' },
  'analysis.failed': { Icon: WarningIcon, tone: 'danger' },
  'analysis.signed': { Icon: SignatureIcon, tone: 'success' },
  'analysis.withdrawn': { Icon: ProhibitIcon, tone: 'warning' },
  'consent.asked': { Icon: HandPalmIcon, tone: 'info' },
  'provider.registered': { Icon: UserCheckIcon, tone: 'warning' },
  'auth.breakGlassUsed': { Icon: WarningIcon, tone: 'danger' },
  'webhook.stopped': { Icon: WebhooksLogoIcon, tone: 'warning' },
  'user.bulkRead': { Icon: UsersIcon, tone: 'warning' },
};

function Row({ notice, onOpen, onRead }: { notice: Notification; onOpen: () => void; onRead: () => void }) {
  const { t } = useTranslation();
  const { Icon, tone } = looks[notice.kind] ?? { Icon: BellIcon, tone: 'accent' };
  const unread = !notice.readAt;
  const { title, text } = wordsOf(notice);
  const viewer = viewerOf(notice);
  return (
    <Flex
      as="li"
      align="center"
      gap="1"
      mx="2"
      my="1px"
      pe="1.5"
      borderRadius="box"
      transition="background-color"
      transitionDuration="fade"
      _hover={{ bg: 'bg.muted' }}
    >
      <Flex
        asChild
        flex="1"
        minW="0"
        gap="3"
        align="flex-start"
        p="2.5"
        borderRadius="box"
        color="fg"
        textDecoration="none"
      >
        <Link to={addressOf(notice)} onClick={onOpen} data-notice={notice.id}>
          <Box
            boxSize="38px"
            flex="none"
            display="grid"
            placeItems="center"
            borderRadius="full"
            bg={`${tone}.subtle`}
            color={`${tone}.onSubtle`}
          >
            <Icon size={20} aria-hidden />
          </Box>
          <Box minW="0" flex="1">
            <Flex align="baseline" gap="2">
              <Text
                as="span"
                flex="1"
                minW="0"
                fontSize=".9375rem"
                lineHeight="1.35"
                fontWeight={unread ? '650' : 'medium'}
              >
                {unread && <VisuallyHidden>{t('notifications.unread')}: </VisuallyHidden>}
                {title}
              </Text>
              <Text
                as="time"
                title={formatDateTime(notice.at)}
                fontSize="xs"
                color="fg.muted"
                fontVariantNumeric="tabular-nums"
              >
                {formatTime(notice.at)}
              </Text>
            </Flex>
            <Text as="span" display="block" fontSize="sm" color="fg.muted" lineHeight="1.4">
              {text}
            </Text>
          </Box>
        </Link>
      </Flex>
      {viewer && (
        <Tooltip content={t('studies.viewer')}>
          <IconButton
            asChild
            variant="ghost"
            boxSize={{ base: '44px', lg: '36px' }}
            minW="0"
            aria-label={t('studies.viewer')}
          >
            <Link to={viewer} onClick={onOpen}>
              <ScanIcon size={20} aria-hidden />
            </Link>
          </IconButton>
        </Tooltip>
      )}
      <Box boxSize={{ base: '44px', lg: '36px' }} flex="none" position="relative">
        {unread && (
          <Tooltip content={t('notifications.readOne')}>
            <IconButton
              variant="ghost"
              boxSize="full"
              minW="0"
              className="group"
              aria-label={`${t('notifications.readOne')}: ${title}`}
              onClick={onRead}
            >
              <Box
                boxSize="9px"
                borderRadius="full"
                bg="accent.solid"
                _groupHover={{ display: 'none' }}
                _groupFocusVisible={{ display: 'none' }}
              />
              <Box display="none" _groupHover={{ display: 'block' }} _groupFocusVisible={{ display: 'block' }}>
                <CheckIcon size={20} aria-hidden />
              </Box>
            </IconButton>
          </Tooltip>
        )}
      </Box>
    </Flex>
  );
}

function useDays(list: Notification[]) {
  useNow(60_000);
  const days = new Map<string, Notification[]>();
  for (const notice of list) {
    const day = formatDay(notice.at);
    days.set(day, [...(days.get(day) ?? []), notice]);
  }
  return [...days];
}

/** Lists the notifications of the viewer by day, the newest first. */
export function NoticeList({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation();
  const { data, isPending, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(notices);
  const read = useRead();
  const list = data ? allOf(data) : [];
  const days = useDays(list);

  if (isPending)
    return (
      <Box px="5" py="2" role="status" aria-label={t('common.loading')}>
        {[1, 2, 3].map((row) => (
          <PersonSkeleton key={row} />
        ))}
      </Box>
    );
  if (isError && !data)
    return (
      <EmptyState
        Icon={BellIcon}
        title={t('common.couldNotLoad')}
        act={
          <Button variant="subtle" onClick={() => void refetch()}>
            {t('common.retry')}
          </Button>
        }
      />
    );
  if (!list.length)
    return <EmptyState Icon={BellIcon} title={t('notifications.empty')} text={t('notifications.emptyText')} />;
  return (
    <Box pb="2">
      {days.map(([day, those]) => (
        <Box as="section" key={day} aria-label={day}>
          <Heading as="h3" fontSize="xs" fontWeight="semibold" color="fg.muted" px="5" pt="3" pb="1.5">
            {day}
          </Heading>
          <Box as="ul" listStyleType="none">
            {those.map((notice) => (
              <Row
                key={notice.id}
                notice={notice}
                onRead={() => read(notice.id)}
                onOpen={() => {
                  if (!notice.readAt) read(notice.id);
                  onOpen();
                }}
              />
            ))}
          </Box>
        </Box>
      ))}
      {hasNextPage && (
        <Flex justify="center" py="2">
          <Button variant="ghost" size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('notifications.older')}
          </Button>
        </Flex>
      )}
    </Box>
  );
}

/** The button that marks all notifications as read. */
export function ReadAll({ unread }: { unread: number }) {
  const { t } = useTranslation();
  const read = useRead();
  return (
    <Button
      variant="ghost"
      size="sm"
      disabled={unread === 0}
      _disabled={{ bg: 'transparent', borderColor: 'transparent' }}
      onClick={() => read(undefined)}
    >
      {t('notifications.readAll')}
    </Button>
  );
}
