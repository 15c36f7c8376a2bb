import { useEffect } from 'react';
import { useNavigate } from 'react-router-dom';

/** A notification was clicked while this tab was there: it goes where that leads, without being loaded anew. */
export function useOpened() {
  const navigate = useNavigate();
  useEffect(() => {
    const worker = navigator.serviceWorker;
    const hear = ({ data }: MessageEvent) => {
      const path: unknown = data?.open;
      if (typeof path === 'string' && /^\/(?!\/)/.test(path)) void navigate(path);
    };
    worker?.addEventListener('message', hear);
    return () => worker?.removeEventListener('message', hear);
  }, [navigate]);
}
