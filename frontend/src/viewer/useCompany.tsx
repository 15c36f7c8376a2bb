import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { Pane } from './engine';
import type { Entry } from './entries';
import { commandOf } from './keys';
import { PlaceMark } from './PlaceMark';
import { DrawHere, Pointers } from './Pointers';
import { TogetherBar } from './TogetherBar';
import { useAsking } from './useAsking';
import { shownIn } from './useShown';
import { useTogether } from './useTogether';

/** The address of an invitation names that one joins at once. */
const INVITED = 'together';

interface Options {
  /** The stack of the first pane, which the others see. Absent while the panes show no image as it is. */
  entry?: Entry | undefined;
  shared?: Pane | undefined;
  /** The pane in use. */
  active?: Pane | undefined;
  /** The pinned place that the address names. */
  place: PinnedView | undefined;
  people: readonly UserRef[];
  /** A guest has no account to look with. */
  isGuest: boolean;
}

export type Company = ReturnType<typeof useCompany>;

/** Everything of the viewer that is about other people: pinned places, and looking together. */
export function useCompany({ entry, shared, active, place, people, isGuest }: Options) {
  // People find each other by the first image of the stack.
  const imageId = isGuest ? undefined : entry?.images[0]?.id;
  const [params] = useSearchParams();
  const asking = useAsking(active, people);
  const together = useTogether(imageId, shared, imageId !== undefined && params.has(INVITED));
  const [drawing, setDrawing] = useState(false);
  const draws = drawing && together.others.length > 0;

  /** The pinned place that was shown. It is shown once: afterwards the picture belongs to the person. */
  const placeShown = useRef<PinnedView>(undefined);
  useEffect(() => {
    if (!shared || !place) return;
    const show = () => {
      if (placeShown.current === place || shownIn(shared).state !== 'drawn') return;
      placeShown.current = place;
      void shared.show(place);
    };
    const stop = shared.subscribe(show);
    show();
    return stop;
  }, [shared, place]);

  const { follow, following, acted } = together;
  /** A person who moves the picture follows nobody any more. */
  const moved = () => {
    acted();
    if (following) follow(undefined);
  };
  const isApart = (target: EventTarget) => (target as Element).closest('[data-together]') !== null;
  return {
    asking: asking.choosing,
    isTogether: together.on,
    toggleAsking: asking.toggle,
    toggleTogether: together.toggle,
    /** The handlers of the root: they notice that a person moves the picture. */
    watching: {
      onPointerDownCapture: ({ target }: PointerEvent) => (isApart(target) ? acted() : moved()),
      onWheelCapture: moved,
      onKeyDownCapture: (event: KeyboardEvent) => (!isApart(event.target) && commandOf(event) ? moved() : acted()),
      onPointerMoveCapture: (event: PointerEvent) => {
        acted();
        if (draws || event.pointerType === 'touch' || !shared?.element.contains(event.target as Node)) return;
        const { left, top } = shared.element.getBoundingClientRect();
        together.point([event.clientX - left, event.clientY - top], false);
      },
    },
    overlay: (pane: Pane | undefined): ReactNode =>
      pane && (
        <>
          {place && <PlaceMark pane={pane} place={place} />}
          {together.on && pane === shared && <Pointers pane={pane} together={together} />}
          {draws && pane === shared && <DrawHere together={together} />}
          {asking.overlay(pane)}
        </>
      ),
    bar: together.on && (
      <TogetherBar together={together} people={people} drawing={draws} onDraw={() => setDrawing((now) => !now)} />
    ),
    dialog: asking.dialog,
  };
}
