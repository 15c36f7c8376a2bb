import '../i18n/further';
import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import {
  CaretDownIcon,
  CaretUpIcon,
  PauseIcon,
  PlayIcon,
  WarningCircleIcon,
  WifiSlashIcon,
  XIcon,
} from '@phosphor-icons/react';
import { useAtom, useAtomValue } from 'jotai';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { Meter } from '../ui/Meter';
import { Tooltip } from '../ui/Tooltip';
import { Interrupted } from './Interrupted';
import { cancelUploads, clearTray, continueUploads, pauseUploads, retryUploads } from './queue';
import { interruptedAtom } from './resumable';
import { TrayGroup } from './TrayGroup';
import { isUnderWay, needsPerson, type Tray as State, trayAtom, trayOpenAtom } from './tray';

/** The files that the tray shows: those of a form are shown there. */
function useShown() {
  const tray = useAtomValue(trayAtom);
  const groups = tray.groups.filter(({ attended }) => !attended);
  const ids = new Set(groups.map(({ id }) => id));
  const items = tray.items.filter(({ groupId }) => ids.has(groupId));
  return { ...tray, groups, items };
}

/** The groups that need the person come first. */
const inOrder = ({ groups, items }: State) => {
  const needing = new Set(items.filter(needsPerson).map(({ groupId }) => groupId));
  return groups.toSorted((a, b) => Number(needing.has(b.id)) - Number(needing.has(a.id)));
};

type Facts = ReturnType<typeof useFacts>;

function useFacts({ items, paused, waitingFor }: State) {
  const { t } = useTranslation();
  const total = items.length;
  const done = items.filter(({ state }) => state === 'done').length;
  const needing = items.filter(needsPerson).length;
  const running = items.some((item) => isUnderWay(item) && item.state !== 'held');
  const bytes = items.reduce((sum, { size }) => sum + size, 0);
  const sent = items.reduce((sum, item) => sum + item.size * (isUnderWay(item) ? item.progress : 1), 0);
  const finished = [
    done > 0 && t('uploads.tray.finished', { count: done }),
    needing > 0 && t('uploads.tray.needs', { count: needing }),
  ]
    .filter(Boolean)
    .join(' · ');
  const headline = !running
    ? finished || t('uploads.tray.title')
    : paused
      ? t('uploads.tray.paused', { done, total })
      : waitingFor
        ? t(`uploads.tray.${waitingFor}`)
        : t('uploads.tray.running', { done, total });
  return { running, needing, finished, headline, share: bytes ? sent / bytes : 0 };
}

/** Room at the end of the page, so that the tray covers nothing that can have the focus. */
function useRoom() {
  useEffect(() => {
    const { style } = document.documentElement;
    style.setProperty('--tray-room', '92px');
    style.scrollPaddingBottom = '180px';
    return () => {
      style.removeProperty('--tray-room');
      style.scrollPaddingBottom = '';
    };
  }, []);
}

/** The bar of the tray: how far all uploads are, and what can be done with all of them. */
function Bar({ tray, facts, list }: { tray: State; facts: Facts; list: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useAtom(trayOpenAtom);
  const { running, needing, headline } = facts;
  const Toggle = open ? CaretDownIcon : CaretUpIcon;
  const toggle = t(open ? 'uploads.tray.hide' : 'uploads.tray.show');
  const pause = t(tray.paused ? 'uploads.tray.goOn' : 'uploads.tray.pause');
  return (
    <Flex align="center" gap="1" ps="4" pe="2" pt="2.5" pb="2">
      <Box minW="0" flex="1">
        <Text fontWeight="semibold" fontSize=".9375rem" fontVariantNumeric="tabular-nums">
          {tray.items.length ? headline : t('uploads.unfinished.title')}
        </Text>
        {running && needing > 0 && (
          <Flex align="center" gap="1.5" fontSize="sm" color="danger.fg">
            <WarningCircleIcon size={16} aria-hidden />
            {t('uploads.tray.needs', { count: needing })}
          </Flex>
        )}
      </Box>
      {running && (
        <Tooltip content={pause}>
          <IconButton variant="ghost" aria-label={pause} onClick={tray.paused ? continueUploads : pauseUploads}>
            {tray.paused ? <PlayIcon /> : <PauseIcon />}
          </IconButton>
        </Tooltip>
      )}
      <Tooltip content={toggle}>
        <IconButton
          variant="ghost"
          aria-label={toggle}
          aria-expanded={open}
          aria-controls={list}
          onClick={() => setOpen(!open)}
        >
          <Toggle />
        </IconButton>
      </Tooltip>
      {!running && tray.items.length > 0 && (
        <Tooltip content={t('uploads.tray.clear')}>
          <IconButton variant="ghost" aria-label={t('uploads.tray.clear')} onClick={clearTray}>
            <XIcon />
          </IconButton>
        </Tooltip>
      )}
    </Flex>
  );
}

/** The uploads one by one: those that were interrupted, and those of the tray. */
function Uploads({ tray, running }: { tray: State; running: boolean }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const interrupted = useAtomValue(interruptedAtom);
  const failed = tray.items.some(({ state }) => state === 'failed');
  return (
    <Flex direction="column" gap="4">
      {running && tray.waitingFor && !tray.paused && (
        <Flex gap="2" fontSize="sm" color="fg.muted">
          <WifiSlashIcon size={18} aria-hidden style={{ flex: 'none' }} />
          {t(`uploads.tray.${tray.waitingFor}Text`)}
        </Flex>
      )}
      {interrupted.map((one) => (
        <Interrupted key={one.fingerprint} upload={one} />
      ))}
      {inOrder(tray).map((group) => (
        <TrayGroup key={group.id} group={group} items={tray.items.filter(({ groupId }) => groupId === group.id)} />
      ))}
      {(running || failed) && (
        <Flex gap="2" wrap="wrap">
          {failed && (
            <Button size="sm" variant="outline" onClick={() => retryUploads()}>
              {t('uploads.tray.retryAll')}
            </Button>
          )}
          {running && (
            <Button size="sm" variant="outline" onClick={() => setAsking(true)}>
              {t('uploads.tray.cancelAll')}
            </Button>
          )}
        </Flex>
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        Icon={XIcon}
        title={t('uploads.tray.cancelTitle')}
        act={t('uploads.tray.cancelAll')}
        onConfirm={() => {
          setAsking(false);
          cancelUploads();
        }}
      >
        {t('uploads.tray.cancelText')}
      </ConfirmDialog>
    </Flex>
  );
}

/** The uploads of this page, on every screen: progress, and what each file needs from the person. */
export function Tray() {
  const { t } = useTranslation();
  const open = useAtomValue(trayOpenAtom);
  const tray = useShown();
  const facts = useFacts(tray);
  const { running, needing, finished, share } = facts;
  const list = useId();
  useRoom();
  return (
    <Flex
      as="section"
      aria-label={t('uploads.tray.title')}
      direction="column"
      position="fixed"
      zIndex="docked"
      insetInlineEnd={{ base: '2', lg: '6' }}
      insetInlineStart={{ base: '2', sm: 'auto' }}
      w={{ sm: '400px' }}
      bottom={{ base: 'calc(74px + env(safe-area-inset-bottom))', lg: '6' }}
      maxH={{ base: '60dvh', lg: '70dvh' }}
      bg="bg.panel"
      borderWidth="1px"
      borderColor="border"
      borderRadius="card"
      boxShadow="float"
      overflow="hidden"
    >
      <Bar tray={tray} facts={facts} list={list} />
      {running && (
        <Box px="4" pb="3">
          <Meter value={share} label={t('uploads.tray.progress')} />
        </Box>
      )}
      {/* One sentence when all is done or a file needs the person, and not every percent. */}
      <Box srOnly role="status">
        {!running ? finished : needing > 0 ? t('uploads.tray.needs', { count: needing }) : ''}
      </Box>
      <Box
        id={list}
        hidden={!open}
        overflowY="auto"
        borderTopWidth="1px"
        borderColor="border"
        px="4"
        py="3"
        tabIndex={-1}
      >
        {open && <Uploads tray={tray} running={running} />}
      </Box>
    </Flex>
  );
}
