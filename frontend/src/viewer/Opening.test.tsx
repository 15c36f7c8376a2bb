import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { renderScreen, turnable } from '../lib/testing';
import { Opening } from './Opening';

let desktop: ReturnType<typeof turnable>;
beforeEach(() => {
  desktop = turnable();
});
afterEach(() => desktop.restore());

it('While the viewer opens, its bar has no button that would do nothing.', () => {
  const subject = { title: 'Chest', sub: '', badge: null, countdown: null, about: null, people: [], marks: [] };
  renderScreen(
    <Opening subject={subject} id={'c'.repeat(24)} preview={undefined} error={null} onRetry={() => undefined} />,
  );
  const views = screen.getByRole('navigation', { name: 'Views' });
  expect(within(views).queryAllByRole('button')).toEqual([]);
});
