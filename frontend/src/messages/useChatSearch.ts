import type { SearchHit } from '@lightbox/contract/messages/calls.js';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useDebounced } from '../lib/useDebounced';
import { wordsOf } from './marks';
import { findInChat, loadBackTo } from './messages';

/** The part of a search that the log shows. */
export interface Shown {
  /** Folded. */
  words: readonly string[];
  hit: string | undefined;
  /** Changes with each step, so that the log scrolls to the same hit again. */
  turn: number;
}

interface Found {
  text: string;
  hits: SearchHit[];
  /** Null when the server has no older messages to read. */
  before: string | null;
}

/** Searches one chat on the server, and goes from hit to hit, from the newest to older ones. */
export function useChatSearch(userId: string, open: boolean) {
  const cache = useQueryClient();
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found>();
  const [at, setAt] = useState(0);
  /** The hit to which the log has scrolled. */
  const [shown, setShown] = useState<{ id: string; turn: number }>();
  const [failed, setFailed] = useState(false);
  const [turn, setTurn] = useState(0);
  const wanted = useDebounced(open ? text.trim() : '', 300);

  useEffect(() => {
    setFound(undefined);
    setShown(undefined);
    setFailed(false);
    setAt(0);
    if (!wanted) return;
    const stop = new AbortController();
    findFrom(userId, wanted, undefined, stop.signal).then(
      (answer) => !stop.signal.aborted && setFound({ text: wanted, ...answer }),
      () => !stop.signal.aborted && setFailed(true),
    );
    return () => stop.abort();
  }, [userId, wanted]);

  const hit = found?.hits[at]?.id;
  useEffect(() => {
    if (!hit) return;
    let current = true;
    loadBackTo(cache, userId, hit).then(
      (there) => current && there && setShown({ id: hit, turn }),
      () => current && setFailed(true),
    );
    return () => {
      current = false;
    };
  }, [cache, userId, hit, turn]);

  const step = async (by: 1 | -1) => {
    if (!found || found.hits.length === 0) return;
    const next = at + by;
    setTurn((count) => count + 1);
    setFailed(false);
    if (found.hits[next]) return setAt(next);
    if (by < 0 || found.before === null) return;
    try {
      const more = await findFrom(userId, found.text, found.before);
      setFound((now) => (now === found ? { ...now, hits: [...now.hits, ...more.hits], before: more.before } : now));
      if (more.hits.length > 0) setAt(next);
    } catch {
      setFailed(true);
    }
  };

  const words = useMemo(() => wordsOf(found?.text ?? ''), [found?.text]);
  return {
    text,
    setText,
    failed,
    pending: open && text.trim() !== '' && !failed && found?.text !== text.trim(),
    found: found && { count: found.hits.length, more: found.before !== null, at },
    step,
    shown: open && found ? { words, hit: shown?.id, turn: shown?.turn ?? 0 } : undefined,
  };
}

/** Reads on while an answer has no hit and the server has older messages: one call reads only some thousands. */
async function findFrom(userId: string, text: string, before?: string, signal?: AbortSignal) {
  let answer = await findInChat(userId, text, before, signal);
  while (answer.hits.length === 0 && answer.before !== null) {
    answer = await findInChat(userId, text, answer.before, signal);
  }
  return answer;
}

export type ChatSearching = ReturnType<typeof useChatSearch>;
