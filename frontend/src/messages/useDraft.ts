import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import type { Offer } from '../images/AskLink';
import { store } from '../lib/store';
import { draftsAtom, keepAttached, keepDraft, keepPinned } from './outbox';

/**
 * The text of the next message of a chat. A draft is restored when its chat is opened again. A link may offer a first
 * sentence and an image, in the state of the history entry and never in the address; a kept draft wins.
 */
export function useDraft(userId: string): [text: string, write: (text: string) => void] {
  const [text, setText] = useState(() => store.get(draftsAtom)[userId] ?? '');
  const location = useLocation();
  const navigate = useNavigate();
  const offered: Offer | null = location.state;
  useEffect(() => {
    if (!offered?.draft && !offered?.view) return;
    if (offered.view) keepPinned(userId, offered.view);
    if (offered.draft && !store.get(draftsAtom)[userId]) {
      setText(offered.draft);
      keepDraft(userId, offered.draft);
      if (offered.images) keepAttached(userId, offered.images);
    }
    void navigate(location, { replace: true, state: null });
  }, [offered, userId, location, navigate]);
  const write = (to: string) => {
    setText(to);
    keepDraft(userId, to);
  };
  return [text, write];
}
