import { cardStates, imageKinds } from '@lightbox/contract/images/names.js';
import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { privateKey } from '../lib/private';
import { useDebounced } from '../lib/useDebounced';
import { listNames } from './cache';

/** The conditions that stand in the address: nothing that a person typed about a patient. */
const conditions = ['state', 'kind', 'modality', 'patientId', 'from', 'to'] as const;
type Condition = (typeof conditions)[number];
type Conditions = Pick<ImageSearch, Condition>;

/** Tells in the address that a text belongs to the search. The text itself stays in this tab, until the sign-out. */
const TEXT = 'text';
const storeKey = (viewer: string) => privateKey('search', viewer);

const patterns: Record<Condition, RegExp> = {
  state: new RegExp(`^(${cardStates.join('|')})$`),
  kind: new RegExp(`^(${imageKinds.join('|')})$`),
  modality: /^[A-Z0-9_]{1,16}$/,
  patientId: /^[0-9a-f]{24}$/,
  from: /^\d{4}-\d\d-\d\d$/,
  to: /^\d{4}-\d\d-\d\d$/,
};

/** Returns the conditions in the address that the server would accept. */
const conditionsIn = (params: URLSearchParams): Conditions =>
  Object.fromEntries(
    conditions.flatMap((name) => {
      const value = params.get(name);
      return value && patterns[name].test(value) ? [[name, value]] : [];
    }),
  );

/** The search in the gallery. A new condition is an entry of the history, and returns both lists to page 1. */
export function useSearch() {
  const { id } = useViewer();
  const [params, setParams] = useSearchParams();
  const inAddress = params.has(TEXT);
  const stored = useCallback(() => sessionStorage.getItem(storeKey(id)) ?? '', [id]);
  /** The text in the box, and the text that is searched: the same when the typing rests. */
  const [text, setText] = useState(() => (inAddress ? stored() : ''));
  const [searched, setSearched] = useState(text);
  const rested = useDebounced(text.trim());

  const change = useCallback(
    (to: (now: URLSearchParams) => void, replace: boolean) =>
      setParams(
        (now) => {
          for (const page of listNames) now.delete(page);
          to(now);
          return now;
        },
        { replace, preventScrollReset: true },
      ),
    [setParams],
  );

  const written = useRef(inAddress);
  const settle = useCallback((to: string) => {
    written.current = to !== '';
    setText(to);
    setSearched(to);
  }, []);
  useEffect(() => {
    if (rested === searched || rested !== text.trim()) return;
    if (rested) sessionStorage.setItem(storeKey(id), rested);
    written.current = rested !== '';
    setSearched(rested);
    change((now) => (rested ? now.set(TEXT, '1') : now.delete(TEXT)), true);
  }, [rested, searched, text, id, change]);
  // Back or Forward: the address says whether the text of this tab belongs to the search.
  useEffect(() => {
    if (inAddress !== written.current) settle(inAddress ? stored() : '');
  }, [inAddress, stored, settle]);

  const address = params.toString();
  const chosen = useMemo(() => conditionsIn(new URLSearchParams(address)), [address]);
  const search = useMemo<ImageSearch>(
    () => ({ ...chosen, ...(searched ? { text: searched } : {}) }),
    [chosen, searched],
  );
  return {
    text,
    setText,
    search,
    chosen,
    count: Object.keys(chosen).length,
    active: Object.keys(search).length > 0,
    set: (name: Condition, value: string | undefined) =>
      change((now) => (value ? now.set(name, value) : now.delete(name)), false),
    clear: () => {
      settle('');
      change((now) => {
        for (const name of [TEXT, ...conditions]) now.delete(name);
      }, false);
    },
  };
}

export type Search = ReturnType<typeof useSearch>;
