import { Box, Button, Text } from '@chakra-ui/react';
import type { GuestView } from '@lightbox/contract/guests/calls.js';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { DownloadSimpleIcon, ProhibitIcon } from '@phosphor-icons/react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useCallback, useLayoutEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatSpan } from '../lib/format';
import { download } from '../lib/http';
import { saveBlob } from '../lib/save';
import { useNow } from '../lib/useNow';
import { LanguageSwitch } from '../ui/LanguageSwitch';
import { useTitle } from '../ui/Page';
import { type Entry, entriesOf, entryOfImage } from '../viewer/entries';
import { frameFacts, readFramesWith, studyFacts } from '../viewer/frames';
import { Message } from '../viewer/Message';
import { Opening } from '../viewer/Opening';
import { PanelTitle } from '../viewer/Panel';
import type { Subject } from '../viewer/subject';
import { Workspace } from '../viewer/Workspace';
import { alive, guestView, isOver, linkState } from './guest';

const hidden = ['tags', 'ask', 'together'] as const;
const noPreview = () => undefined;

function entriesFor(t: TFunction, view: GuestView, facts: Record<string, FrameFacts>): Entry[] {
  const opened = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const known = facts[id];
      return known ? [{ id, facts: known }] : [];
    });
  if (view.imageId) return opened([view.imageId]).map((image) => entryOfImage(image, t('guests.picture')));
  return (view.series ?? []).flatMap((series, i) =>
    entriesOf({ ...series, images: opened(series.images) }, t('viewer.seriesOf', { n: series.number ?? i + 1 })),
  );
}

function useEntries(view: GuestView | undefined) {
  const { t } = useTranslation();
  const { imageId, studyId } = view ?? {};
  const image = useQuery({ ...frameFacts(imageId ?? ''), enabled: imageId !== undefined });
  const study = useQuery({ ...studyFacts(studyId ?? '', view), enabled: studyId !== undefined });
  const { data, error, dataUpdatedAt, refetch } = studyId ? study : image;
  const facts = useMemo(
    () => (imageId && image.data ? { [imageId]: image.data } : study.data),
    [imageId, image.data, study.data],
  );
  const entries = useMemo(() => (view && facts ? entriesFor(t, view, facts) : []), [t, view, facts]);
  return { entries, ready: data !== undefined, error, lookedAt: dataUpdatedAt || undefined, refetch };
}

function Download({ view, token }: { view: GuestView; token: string }) {
  const { t } = useTranslation();
  const saving = useMutation({
    mutationFn: async () => {
      const blob = view.imageId
        ? await download(imageCalls.getImageContent, { params: { id: view.imageId } }, { token })
        : await download(studyCalls.getStudyContent, { params: { id: view.studyId ?? '' } }, { token });
      saveBlob(blob, `${t('guests.file')}${endings[blob.type.split(';')[0] ?? ''] ?? ''}`);
    },
    meta: { fallback: t('images.view.downloadFailed') },
  });
  return (
    <Button size="sm" loading={saving.isPending} onClick={() => saving.mutate()}>
      <DownloadSimpleIcon />
      {t('guests.download')}
    </Button>
  );
}

const endings: Record<string, string> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'application/pdf': '.pdf',
  'application/dicom': '.dcm',
  'application/zip': '.zip',
};

function Ended({ address, onLeave }: { address: string; onLeave: () => void }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({ ...linkState(address), staleTime: 0 });
  const state = data?.state ?? 'unknown';
  const why = state === 'open' ? 'timeout' : state;
  if (!data && !error) return null;
  return (
    <Message
      Icon={ProhibitIcon}
      title={t(`guests.ended.${why}.title`)}
      text={t(`guests.ended.${why}.text`)}
      {...(state === 'open' && { act: { label: t('guests.again'), onClick: onLeave } })}
    />
  );
}

interface Props {
  token: string;
  address: string;
  /** Goes back to the question for the code. */
  onLeave: () => void;
}

/** The viewer for a guest: the picture, the tools and the note of the sender, and nothing else of the product. */
export function GuestViewer({ token, address, onLeave }: Props) {
  const { t } = useTranslation();
  const now = useNow(30_000);
  // Before the first effect of a query, which would send the token of a session.
  useLayoutEffect(() => {
    readFramesWith(token);
    return () => readFramesWith(undefined);
  }, [token]);
  const pulse = useQuery(alive(token));
  const view = useQuery(guestView(token));
  const { entries, ready, error, lookedAt, refetch } = useEntries(view.data);
  const [refused, setRefused] = useState(false);
  const onRefused = useCallback(() => setRefused(true), []);
  useTitle(t('guests.picture'));
  const over = refused || [pulse.error, view.error, error].some(isOver);
  const subject: Subject = {
    title: t('guests.picture'),
    sub: !over && view.data && (
      <>
        {t('time.endsIn', { span: formatSpan(Date.parse(view.data.expiresAt) - now) })}
        {view.data.note && (
          <>
            {' · '}
            <bdi>{view.data.note}</bdi>
          </>
        )}
      </>
    ),
    badge: null,
    countdown: null,
    languages: <LanguageSwitch />,
    about: !over && view.data && (
      <Box as="section">
        {view.data.note && (
          <>
            <PanelTitle>{t('guests.note')}</PanelTitle>
            <Text fontSize="14px" mb="4" dir="auto" overflowWrap="anywhere" whiteSpace="pre-wrap">
              {view.data.note}
            </Text>
          </>
        )}
        {view.data.download && <Download view={view.data} token={token} />}
      </Box>
    ),
    people: [],
    marks: [],
  };
  const { imageId, studyId } = view.data ?? {};
  const source = useMemo(() => (imageId ? { imageId } : studyId ? { studyId } : undefined), [imageId, studyId]);
  const start = useMemo(
    () => ({ key: (entries.find(({ kind }) => kind === 'stack') ?? entries[0])?.key ?? '', at: 0 }),
    [entries],
  );
  if (!over && (!ready || !view.data)) {
    const failure = view.error ?? error;
    return (
      <Opening
        subject={subject}
        preview={undefined}
        id=""
        error={failure}
        onRetry={() => void (view.error ? view.refetch() : refetch())}
      />
    );
  }
  return (
    <Workspace
      subject={subject}
      entries={entries}
      start={start}
      previewOf={noPreview}
      source={source}
      lookedAt={over ? undefined : lookedAt}
      ended={over ? <Ended address={address} onLeave={onLeave} /> : undefined}
      neighbours={{}}
      hidden={hidden}
      onRefused={onRefused}
    />
  );
}
