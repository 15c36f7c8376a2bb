import type { Study } from '@lightbox/contract/studies/schemas.js';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { isOver } from '../images/access';
import { fileName } from '../images/download';
import { imageContent } from '../images/images';
import { useStudy } from '../images/studies';
import type { ApiError } from '../lib/http';
import { queryClient } from '../lib/query';
import { saveBlob } from '../lib/save';
import { useAtNow } from '../lib/useNow';
import { Ended } from './Ended';
import { type Entry, entriesOf } from './entries';
import { isRefusal, studyFacts } from './frames';
import { Opening } from './Opening';
import { subjectOfStudy } from './subject';
import { useScreen } from './useScreen';
import { Workspace } from './Workspace';

const nothing: readonly Entry[] = [];

/** Returns the stacks of all series, in the order of the study. */
function useEntries(study: Study | undefined, facts: Record<string, Entry['facts']> | undefined): readonly Entry[] {
  const { t } = useTranslation();
  return useMemo(() => {
    if (!study?.series || !facts) return nothing;
    return study.series.flatMap((series, i) => {
      const images = series.images.flatMap((id) => {
        const known = facts[id];
        return known ? [{ id, facts: known }] : [];
      });
      return entriesOf({ ...series, images }, t('viewer.seriesOf', { n: series.number ?? i + 1 }));
    });
  }, [study, facts, t]);
}

/** The first stack of a study, and the picture in it that is named in the address. */
function startOf(entries: readonly Entry[], image: string | null) {
  const named = image && entries.find(({ images }) => images.some(({ id }) => id === image));
  const entry = named || entries.find(({ kind }) => kind === 'stack') || entries[0];
  const at = named ? named.images.findIndex(({ id }) => id === image) : 0;
  return { key: entry?.key ?? '', at: Math.max(0, entry && entry.images.length > 1 ? at : 0) };
}

/** The screen of a study: all its series, one look. */
export function StudyViewer() {
  const { studyId = '' } = useParams();
  return <OneStudy key={studyId} id={studyId} />;
}

function OneStudy({ id }: { id: string }) {
  const { t } = useTranslation();
  const [params] = useSearchParams();
  const me = useViewer().id;
  const { data: study, error: studyError, refetch: again } = useStudy(id);
  const waits = study !== undefined && !study.isVerified;
  const facts = useQuery({ ...studyFacts(id, study), enabled: study !== undefined && !waits });
  const { opened, onBack } = useScreen(facts.data !== undefined);
  // An image of the study may have been deleted, or the whole access has ended: the answer about the study says it.
  const onRefused = useCallback(() => void again(), [again]);
  const entries = useEntries(study, facts.data);
  const saving = useMutation({
    mutationFn: async (image: string) => {
      const blob = await queryClient.fetchQuery(imageContent(image));
      saveBlob(blob, fileName({ caption: study?.title ?? '', contentType: blob.type }, t('common.untitled')));
    },
    meta: { fallback: t('images.view.downloadFailed') },
  });
  const over = useAtNow((now) => study !== undefined && isOver(study, now));
  const gone = waits || over || isRefusal(studyError) || isRefusal(facts.error);
  const notVerified = !opened && (waits || (facts.error as ApiError | null)?.code === 'NOT_VERIFIED');
  const image = params.get('image');
  const start = useMemo(() => startOf(entries, image), [entries, image]);
  const preview = study?.image_url ?? undefined;
  const source = useMemo(() => ({ studyId: id }), [id]);
  const previewOf = useCallback(
    (one: string) => (one === entries[0]?.key || one === study?.leadId ? preview : undefined),
    [entries, study?.leadId, preview],
  );
  const subject = subjectOfStudy(study, me, !gone);
  if (!gone && entries.length === 0) {
    return (
      <Opening
        subject={subject}
        preview={preview}
        id={study?.leadId ?? ''}
        error={studyError ?? facts.error}
        onRetry={() => void (studyError ? again() : facts.refetch())}
        onBack={onBack}
      />
    );
  }
  return (
    <Workspace
      subject={subject}
      entries={entries}
      start={start}
      previewOf={previewOf}
      source={source}
      me={me}
      lookedAt={facts.dataUpdatedAt || undefined}
      ended={gone ? <Ended notVerified={notVerified} /> : undefined}
      onBack={onBack}
      neighbours={{}}
      onDownload={(one) => saving.mutate(one)}
      onRefused={onRefused}
    />
  );
}
