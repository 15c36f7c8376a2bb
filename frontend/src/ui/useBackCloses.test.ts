import { renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';

it('Back closes also the first sheet of a page from the moment at which it opens.', async () => {
  // A page that has just been loaded: nothing was needed for a sheet before.
  vi.resetModules();
  const { windowForRouter } = await import('../lib/routerWindow');
  const { useBackCloses } = await import('./useBackCloses');
  windowForRouter();
  renderHook(() => useBackCloses(true, () => {}));
  await new Promise((turn) => setTimeout(turn));
  expect(history.state?.sheet).toBe(true);
});
