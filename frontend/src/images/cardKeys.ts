import type { KeyboardEvent } from 'react';

const sides = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];

/** Returns the card beside this one in the direction of the key, as the eye sees it: from right to left in Urdu too. */
function beside(cards: HTMLElement[], card: HTMLElement, key: string): HTMLElement | undefined {
  const from = card.getBoundingClientRect();
  const sideways = key === 'ArrowLeft' || key === 'ArrowRight';
  const sign = key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1;
  const distances = cards.map((other) => {
    const to = other.getBoundingClientRect();
    return {
      other,
      along: sign * (sideways ? to.x - from.x : to.y - from.y),
      across: Math.abs(sideways ? to.y - from.y : to.x - from.x),
    };
  });
  const ahead = distances.filter(({ along, across }) => along > 1 && (!sideways || across <= 1));
  return ahead.toSorted((one, two) => one.along - two.along || one.across - two.across)[0]?.other;
}

/** Moves the focus between the cards of a gallery with the arrow keys: to the first control of the next card. */
export function cardKeys(event: KeyboardEvent<HTMLElement>): void {
  if (!sides.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const card = (event.target as HTMLElement).closest('article');
  if (!card) return;
  const next = beside([...event.currentTarget.querySelectorAll('article')], card, event.key);
  if (!next) return;
  event.preventDefault();
  next.querySelector<HTMLElement>('button, a, input')?.focus();
}
