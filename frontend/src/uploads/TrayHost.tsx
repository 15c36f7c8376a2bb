import { useAtomValue } from 'jotai';
import { lazy, Suspense, useEffect } from 'react';
import { useViewer } from '../auth/session';
import { findInterrupted, interruptedAtom } from './resumable';
import { askedGroupAtom, trayAtom } from './tray';

const Tray = lazy(async () => ({ default: (await import('./Tray')).Tray }));
const MismatchDialog = lazy(async () => ({ default: (await import('./MismatchDialog')).MismatchDialog }));

/** The tray on every screen, loaded when there are uploads. `hidden`: the screen has no room for it. */
export function TrayHost({ hidden }: { hidden: boolean }) {
  const { groups } = useAtomValue(trayAtom);
  const interrupted = useAtomValue(interruptedAtom);
  const asked = useAtomValue(askedGroupAtom);
  const { id } = useViewer();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another person has other uploads.
  useEffect(() => void findInterrupted(), [id]);
  const needed = interrupted.length > 0 || groups.some(({ attended }) => !attended);
  return (
    <Suspense fallback={null}>
      {needed && !hidden && <Tray />}
      {asked && <MismatchDialog key={asked} groupId={asked} />}
    </Suspense>
  );
}
