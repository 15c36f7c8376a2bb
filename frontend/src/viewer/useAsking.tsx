import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { Offer } from '../images/AskLink';
import { paths } from '../lib/paths';
import { AskDialog } from './AskDialog';
import type { Pane } from './engine';
import { focusableOf, focusPane } from './focus';
import { ChoosePlace } from './PlaceMark';
import { pinAt } from './place';

/** Asks another person about a place: the place, then the person, then the chat with the place pinned. */
export function useAsking(pane: Pane | undefined, people: readonly UserRef[]) {
  const navigate = useNavigate();
  const [choosing, setChoosing] = useState(false);
  const [view, setView] = useState<PinnedView>();
  const ask = (to: UserRef, place: PinnedView) => {
    const offer: Offer = { draft: '', view: place };
    void navigate(paths.chat(to.id), { state: offer });
  };
  const overlay = (shown: Pane | undefined): ReactNode =>
    choosing &&
    shown &&
    shown === pane && (
      <ChoosePlace
        pane={shown}
        onCancel={() => {
          setChoosing(false);
          focusPane(shown);
        }}
        onChosen={(point) => {
          const place = pinAt(shown, point);
          setChoosing(false);
          const [only, ...others] = people;
          if (place && only && others.length === 0) ask(only, place);
          else setView(place);
        }}
      />
    );
  const dialog = (
    <AskDialog
      view={view}
      people={people}
      onChosen={(person) => view && ask(person, view)}
      onClose={() => setView(undefined)}
      // The part that had the focus before, in which the place was chosen, is gone.
      finalFocusEl={() => focusableOf(pane)}
    />
  );
  return { choosing, toggle: () => setChoosing((now) => !now), overlay, dialog };
}
