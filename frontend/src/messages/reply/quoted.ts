import { useQueryClient } from '@tanstack/react-query';
import { atom, useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { store } from '../../lib/store';
import { toast } from '../../lib/toaster';
import { loadBackTo } from '../messages';

interface Wanted {
  id: string;
  /** Changes with each click, so that the log scrolls to the same message again. */
  turn: number;
}

const wantedAtom = atom<Wanted>();

/** Leads the reader to a quoted message. */
export const showQuoted = (id: string) => store.set(wantedAtom, (last) => ({ id, turn: (last?.turn ?? 0) + 1 }));

/** The original is marked for this time. */
const MARK_MS = 2_500;

/** Returns the quoted message that the reader wants to see, once the chat contains it. */
export function useQuoted(userId: string): Wanted | undefined {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const wanted = useAtomValue(wantedAtom);
  const [there, setThere] = useState<Wanted>();
  useEffect(() => {
    if (!wanted) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current = true;
    const failed = () => current && toast.error(t('messages.reply.notFound'));
    loadBackTo(cache, userId, wanted.id).then((found) => {
      if (!found) return failed();
      if (!current) return;
      setThere(wanted);
      timer = setTimeout(() => setThere(undefined), MARK_MS);
    }, failed);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [cache, userId, wanted, t]);
  // Another chat has other messages.
  useEffect(() => () => store.set(wantedAtom, undefined), []);
  return there;
}
