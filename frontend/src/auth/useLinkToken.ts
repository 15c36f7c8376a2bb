import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';

/** Returns the token of the link and removes it from the address, so that it is in no history and no screenshot. */
export function useLinkToken(path: string): string | null {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const [token] = useState(() => search.get('token'));
  useEffect(() => {
    if (search.has('token')) navigate(path, { replace: true });
  }, [search, navigate, path]);
  return token;
}
