import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';
import { useAttentive } from '../lib/attention';
import { allOf, notices, showsRecord, useRead } from './notifications';

const withId = /[0-9a-f]{24}/;

/** Marks notifications as read when the viewer opens their very image, study or analysis in another way. */
export function useSeen(unread: number) {
  const { pathname, search } = useLocation();
  const read = useRead();
  const looking = useAttentive() && withId.test(pathname + search);
  const { data } = useInfiniteQuery({ ...notices, enabled: looking && unread > 0 });
  // A notification whose mark the server refused is not tried again and again.
  const tried = useRef(new Set<string>());
  useEffect(() => {
    if (!looking || !data) return;
    for (const notice of allOf(data)) {
      if (notice.readAt || tried.current.has(notice.id) || !showsRecord({ pathname, search }, notice)) continue;
      tried.current.add(notice.id);
      read(notice.id);
    }
  }, [data, looking, pathname, search, read]);
}
