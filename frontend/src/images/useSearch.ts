import { cardStates, type ImageSearch, imageKinds } from '@lightbox/contract/images/search.js';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { useDebounced } from '../lib/useDebounced';

/** The conditions that stand in the address: nothing that a person typed about a patient. */
const conditions = ['state', 'kind', 'modality', 'patientId', 'from', 'to'] as const;
type Condition = (typeof conditions)[number];
type Conditions = Pick<ImageSearch, Condition>;

/** Tells in the address that a text belongs to the search. The text itself stays in this tab, until the sign-out. */
const TEXT = 'text';
const storeKey = (viewer: string) => `search:${viewer}`;

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
  const [text, setText] = useState(() => (inAddress ? stored() : ''));
  const rested = useDebounced(text.trim());

  const change = useCallback(
    (to: (now: URLSearchParams) => void, replace: boolean) =>
      setParams(
        (now) => {
          for (const page of ['uploaded', 'shared']) now.delete(page);
          to(now);
          return now;
        },
        { replace, preventScrollReset: true },
      ),
    [setParams],
  );

  const written = useRef(inAddress);
  const last = useRef(rested);
  useEffect(() => {
    if (rested === last.current) return;
    last.current = rested;
    sessionStorage.setItem(storeKey(id), rested);
    written.current = rested !== '';
    change((now) => (rested ? now.set(TEXT, '1') : now.delete(TEXT)), true);
  }, [rested, id, change]);
  // Back or Forward: the address says whether the text of this tab belongs to the search.
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    last.current = inAddress ? stored() : '';
    setText(last.current);
  }, [inAddress, stored]);

  const address = params.toString();
  const chosen = useMemo(() => conditionsIn(new URLSearchParams(address)), [address]);
  // A reload in another tab has no text.
  const search = useMemo<ImageSearch>(() => ({ ...chosen, ...(rested ? { text: rested } : {}) }), [chosen, rested]);
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
      setText('');
      change((now) => {
        for (const name of conditions) now.delete(name);
      }, false);
    },
  };
}

export type Search = ReturnType<typeof useSearch>;
