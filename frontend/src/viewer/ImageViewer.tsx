import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { actionsOf } from '../images/access';
import { findPageOf } from '../images/cache';
import { useDownload } from '../images/download';
import { useImage } from '../images/images';
import type { ApiError } from '../lib/http';
import { paths } from '../lib/paths';
import { useAtNow } from '../lib/useNow';
import { Ended } from './Ended';
import { entryOfImage } from './entries';
import { frameFacts, isRefusal } from './frames';
import { Opening } from './Opening';
import { placeIn } from './place';
import { subjectOf } from './subject';
import { useScreen } from './useScreen';
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

/** The screen of one image. */
export function ImageViewer() {
  const { imageId = '' } = useParams();
  return <OneImage key={imageId} id={imageId} />;
}

function OneImage({ id }: { id: string }) {
  const viewer = useViewer();
  const [params] = useSearchParams();
  const { data: image, error: imageError } = useImage(id);
  const waits = image !== undefined && !image.isVerified;
  const facts = useQuery({ ...frameFacts(id), enabled: !waits });
  const { opened, onBack } = useScreen(facts.data !== undefined);
  const [refused, setRefused] = useState(false);
  const onRefused = useCallback(() => setRefused(true), []);
  const saving = useDownload(image);
  const neighbours = useNeighbours(id);

  const preview = image?.image_url ?? undefined;
  const may = useAtNow((now) => image === undefined || actionsOf(viewer, image, now).open);
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
  const place = useMemo(() => placeIn(id, params), [id, params]);
  const source = useMemo(() => ({ imageId: id }), [id]);
  const previewOf = useCallback((one: string) => (one === id ? preview : undefined), [id, preview]);
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
      place={place}
      previewOf={previewOf}
      source={source}
      me={viewer.id}
      lookedAt={facts.dataUpdatedAt || undefined}
      ended={ended}
      onBack={onBack}
      neighbours={neighbours}
      onDownload={() => saving.mutate()}
      onRefused={onRefused}
    />
  );
}
