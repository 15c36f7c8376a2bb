import { useEffect } from 'react';

/** Asks search engines not to list the page. The server says the same in a header. */
export function useUnlisted() {
  useEffect(() => {
    const robots = document.createElement('meta');
    robots.name = 'robots';
    robots.content = 'noindex, nofollow';
    document.head.append(robots);
    return () => robots.remove();
  }, []);
}
