import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';

/** The link's token, read once and taken out of the address at once: it stays in no history and in no screenshot. */
export function useLinkToken(path: string): string | null {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const [token] = useState(() => search.get('token'));
  useEffect(() => {
    if (search.has('token')) navigate(path, { replace: true });
  }, [search, navigate, path]);
  return token;
}
