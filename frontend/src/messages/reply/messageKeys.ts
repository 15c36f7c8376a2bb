import type { KeyboardEvent } from 'react';

const steps: Record<string, -1 | 1> = { ArrowUp: -1, ArrowDown: 1 };

/** Moves the focus with Up and Down from the menu button of one message to that of the next. */
export function messageKeys(event: KeyboardEvent<HTMLElement>) {
  const step = steps[event.key];
  const from = (event.target as HTMLElement).closest('[data-message-menu]');
  // Inside an open menu the keys are those of the menu.
  if (!step || !from || from.getAttribute('aria-expanded') === 'true') return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-message-menu]')];
  const next = buttons[buttons.indexOf(from as HTMLElement) + step];
  // Without the menu's own keys, which would open it.
  event.preventDefault();
  event.stopPropagation();
  next?.focus();
}
