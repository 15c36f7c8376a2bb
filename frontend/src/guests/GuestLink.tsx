import '../i18n/further';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams } from 'react-router-dom';
import { EnterCode } from './EnterCode';
import { GuestViewer } from './GuestViewer';
import { linkState } from './guest';
import { LinkEnded } from './LinkEnded';
import { useUnlisted } from './useUnlisted';

/** The screen behind a guest link. The address ends in `#` and the proof, which the browser sends to no server. */
export function GuestLink() {
  const { link = '' } = useParams();
  const { hash } = useLocation();
  const address = `${link}.${hash.slice(1)}`;
  return <OneLink key={address} address={address} />;
}

/** The token of a right code is in the memory of this screen alone: after a reload the guest enters the code again. */
function OneLink({ address }: { address: string }) {
  const [token, setToken] = useState<string>();
  const state = useQuery({ ...linkState(address), enabled: token === undefined });
  useUnlisted();
  if (token) return <GuestViewer token={token} address={address} onLeave={() => setToken(undefined)} />;
  if (state.isPending) return null;
  if (state.data?.state === 'open')
    return <EnterCode address={address} onOpened={setToken} onEnded={() => void state.refetch()} />;
  return <LinkEnded state={state.data?.state} error={state.error} onRetry={() => void state.refetch()} />;
}
