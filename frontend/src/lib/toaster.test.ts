import { waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';

it('A toast that waits for its code is not shown to the next person.', async () => {
  // The code of the toasts is not loaded yet, as after the first paint.
  vi.resetModules();
  const [{ toast }, { forgetPrivate }, { toastsAtom }, { store }] = await Promise.all([
    import('./toaster'),
    import('./private'),
    import('./toastState'),
    import('./store'),
  ]);
  const told: string[] = [];
  store.sub(toastsAtom, () => {
    const toasts = store.get(toastsAtom);
    if (toasts) vi.spyOn(toasts, 'create').mockImplementation(({ title }) => void told.push(title));
  });
  toast.error('Of the last person');
  forgetPrivate();
  toast.success('Logged out');
  await waitFor(() => expect(told).toContain('Logged out'));
  expect(told).toEqual(['Logged out']);
});
