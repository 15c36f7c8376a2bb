import { type ComponentType, lazy, Suspense, useDeferredValue, useEffect, useState } from 'react';

/** Time after which the code of closed dialogs is loaded, so that they open at once and without a connection. */
const spareMs = 5_000;

/** A dialog whose code is not a part of its screen: it is loaded when the dialog opens, or a few seconds after the screen. */
export function onOpening<P extends { open: boolean }>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Dialog = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each dialog, at the top level of a module.
  return function OnOpening(props: P) {
    const [wasOpen, setWasOpen] = useState(props.open);
    if (props.open && !wasOpen) setWasOpen(true);
    // It opens after the frame that answers the click or the key: to draw it takes a slow processor longer than that.
    const painted = useDeferredValue(props.open);
    useEffect(() => {
      // Without a connection it is loaded when the dialog opens.
      const timer = setTimeout(() => void load().catch(() => undefined), spareMs);
      return () => clearTimeout(timer);
    }, []);
    // It stays mounted after that, so that it closes with its animation.
    return wasOpen ? (
      <Suspense fallback={null}>
        <Dialog {...props} open={props.open && painted} />
      </Suspense>
    ) : null;
  };
}
