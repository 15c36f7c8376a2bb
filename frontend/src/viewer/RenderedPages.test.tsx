import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ApiError } from '../lib/http';
import { answer, renderScreen } from '../lib/testing';
import { renderedFrame } from './frames';
import { RenderedPages } from './RenderedPages';

const id = 'c'.repeat(24);

it('A page that cannot be drawn is shown as such, and ends no access.', async () => {
  answer({ [`GET /upload/image/${id}/frames/1`]: () => ({ status: 404, body: { message: '', error: 'NO_FRAME' } }) });
  let refused = false;
  renderScreen(
    <RenderedPages
      id={id}
      count={3}
      start={0}
      onRefused={() => {
        refused = true;
      }}
    />,
  );
  await screen.findByText('This frame cannot be drawn');
  expect(refused).toBe(false);
});

it('A page that a worker still draws is asked for again, as often as the facts of a file are.', () => {
  const pending = new ApiError(404, 'PREVIEW_PENDING', '');
  const again = renderedFrame({ id, n: 1 }).retry as (count: number, error: Error) => boolean;
  expect([again(19, pending), again(20, pending), again(0, new ApiError(404, 'NO_FRAME', ''))]).toEqual([
    true,
    false,
    false,
  ]);
});
