import { useEffect, useRef } from 'react';

/** Closes a sheet when the person goes back while it is open. The code for it loads with the first sheet. */
export function useBackCloses(open: boolean | undefined, onClose: () => void) {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!open) return;
    let isOver = false;
    let end = () => {};
    import('../lib/goingBack').then(
      ({ sheetOpened }) => {
        if (!isOver) end = sheetOpened(() => close.current());
      },
      // There is no connection to load it over. Back leaves the page then.
      () => {},
    );
    return () => {
      isOver = true;
      end();
    };
  }, [open]);
}
