import type { Image } from '@lightbox/contract/images/schemas.js';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { actionsOf } from '../images/access';
import { findPageOf } from '../images/cache';
import { useDownload } from '../images/download';
import { useImage } from '../images/images';
import type { ApiError } from '../lib/http';
import { paths } from '../lib/paths';
import { useNow } from '../lib/useNow';
import { useTitle } from '../ui/Page';
import { Ended } from './Ended';
import { entryOfImage } from './entries';
import { frameFacts } from './frames';
import { Opening } from './Opening';
import { isRefusal } from './RenderedPages';
import { subjectOf } from './subject';
import { Workspace } from './Workspace';

/** The images of the list from which the viewer was opened, in its order. */
interface From {
  list?: readonly string[];
}

function useNeighbours(id: string) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const viewer = useViewer();
  const { state } = useLocation() as { state: From | null };
  const list = useMemo(() => {
    if (state?.list) return state.list;
    const page = findPageOf(cache, id) ?? [];
    return page.filter((image) => actionsOf(viewer, image).open).map((image) => image.id);
  }, [state, cache, id, viewer]);
  const at = list.indexOf(id);
  const go = (to: string | undefined) =>
    to === undefined ? undefined : () => void navigate(paths.viewer(to), { replace: true, state: { list } });
  return at < 0 ? {} : { previous: go(list[at - 1]), next: go(list[at + 1]) };
}

/** True when the person may see the image at this moment. */
function mayOpen(viewer: Parameters<typeof actionsOf>[0], image: Image | undefined, now: number) {
  return image === undefined || actionsOf(viewer, image, now).open;
}

/** The screen of one image. */
export function ImageViewer() {
  const { imageId = '' } = useParams();
  return <OneImage key={imageId} id={imageId} />;
}

function OneImage({ id }: { id: string }) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const now = useNow(1_000);
  const { data: image, error: imageError } = useImage(id);
  const waits = image !== undefined && !image.isVerified;
  const facts = useQuery({ ...frameFacts(id), enabled: !waits });
  const [refused, setRefused] = useState(false);
  const onRefused = useCallback(() => setRefused(true), []);
  const saving = useDownload(image);
  const neighbours = useNeighbours(id);
  useTitle(t('viewer.title'));

  const preview = image?.image_url ?? undefined;
  const [opened, setOpened] = useState(false);
  const ready = facts.data !== undefined;
  useEffect(() => {
    if (ready) setOpened(true);
  }, [ready]);
  const may = mayOpen(viewer, image, now);
  const gone = refused || isRefusal(imageError) || isRefusal(facts.error) || !may;
  const entries = useMemo(
    () => (facts.data ? [entryOfImage({ id, facts: facts.data }, image?.caption ?? '')] : []),
    [facts.data, id, image?.caption],
  );
  const notVerified = gone && !opened && (waits || (facts.error as ApiError | null)?.code === 'NOT_VERIFIED');
  const ended = gone ? <Ended notVerified={notVerified} /> : undefined;
  const start = useMemo(
    () => ({ key: id, at: Math.max(0, Math.trunc(Number(params.get('frame')) || 1) - 1) }),
    [id, params],
  );
  const previewOf = useCallback((one: string) => (one === id ? preview : undefined), [id, preview]);
  const onBack = () => (window.history.length > 1 ? navigate(-1) : navigate(paths.viewImages));
  const subject = subjectOf(image, viewer, !gone);
  if (!ended && !facts.data) {
    return (
      <Opening
        subject={subject}
        preview={preview}
        id={id}
        error={facts.error}
        onRetry={() => void facts.refetch()}
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
      lookedAt={facts.dataUpdatedAt || undefined}
      ended={ended}
      onBack={onBack}
      neighbours={neighbours}
      onDownload={() => saving.mutate()}
      onRefused={onRefused}
    />
  );
}
