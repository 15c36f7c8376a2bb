import type { Image } from '@lightbox/contract/images/schemas.js';
import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, it } from 'vitest';
import { renderScreen } from '../lib/testing';
import type { Sharing } from './dialogs';
import { useImageDialogs } from './useImageDialogs';

const image = { id: 'c'.repeat(24), caption: 'Left hand' } as Image;
const lists = ['uploaded', 'shared'] as const;

/** As the dialogs do, it gives the focus back when it has closed. */
function Share({ open, onClose, finalFocus }: Sharing) {
  const close = () => {
    onClose();
    finalFocus()?.focus();
  };
  return open ? (
    <button type="button" onClick={close}>
      Close
    </button>
  ) : null;
}
const None = () => null;

let move: (to: (typeof lists)[number] | null) => void;

function Gallery() {
  const [at, setAt] = useState<(typeof lists)[number] | null>('uploaded');
  move = (to) => act(() => setAt(to));
  const { askFor, dialogs } = useImageDialogs({ Share, Verify: None, Study: None, Rename: None }, []);
  return (
    <main tabIndex={-1}>
      <input aria-label="Search" />
      {lists.map((name) => (
        <section key={name} aria-label={name}>
          {name === at && (
            <article data-image={image.id}>
              <button type="button">Open</button>
              <button type="button" onClick={() => askFor('share', image)}>
                Share
              </button>
            </article>
          )}
        </section>
      ))}
      {dialogs}
    </main>
  );
}

const focused = () => [document.activeElement?.closest('section')?.ariaLabel, document.activeElement?.textContent];

beforeEach(async () => {
  const person = userEvent.setup();
  renderScreen(<Gallery />);
  await person.click(screen.getByRole('button', { name: 'Share' }));
  await person.click(screen.getByRole('button', { name: 'Close' }));
  expect(focused()).toEqual(['uploaded', 'Share']);
});

it('The focus follows the card of a shared image to the other list, also when it is in none for a moment.', () => {
  move('shared');
  expect(focused()).toEqual(['shared', 'Share']);
  move(null);
  expect(document.activeElement).toBe(document.body);
  move('uploaded');
  expect(focused()).toEqual(['uploaded', 'Share']);
});

it('The focus stays where the person has put it.', () => {
  move(null);
  const box = screen.getByRole('textbox', { name: 'Search' });
  act(() => box.focus());
  move('shared');
  expect(document.activeElement).toBe(box);
});
