import type { KeyboardEvent, RefObject } from 'react';

const steps: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
};

/** Moves the focus with Up and Down through the rows marked `data-row`. Down in a search field goes to the first row. */
export const rowKeys = (list: RefObject<HTMLElement | null>) => (event: KeyboardEvent) => {
  const step = steps[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? 0 : step(at, rows.length - 1)];
  if (!next || (at < 0 && event.key === 'ArrowUp')) return;
  event.preventDefault();
  next.focus();
};
