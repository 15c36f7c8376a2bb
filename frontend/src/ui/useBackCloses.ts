import { useEffect, useRef } from 'react';
import { sheetOpened } from '../lib/goingBack';

/** Closes a sheet when the person goes back while it is open. */
export function useBackCloses(open: boolean | undefined, onClose: () => void) {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => (open ? sheetOpened(() => close.current()) : undefined), [open]);
}
