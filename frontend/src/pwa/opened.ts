import { useEffect } from 'react';
import { useNavigate } from 'react-router-dom';

/** Opens the path of a clicked notification in this tab, without loading the page again. */
export function useOpened() {
  const navigate = useNavigate();
  useEffect(() => {
    const worker = navigator.serviceWorker;
    const onMessage = ({ data }: MessageEvent) => {
      const path: unknown = data?.open;
      if (typeof path === 'string' && /^\/(?!\/)/.test(path)) void navigate(path);
    };
    worker?.addEventListener('message', onMessage);
    return () => worker?.removeEventListener('message', onMessage);
  }, [navigate]);
}
