import { ChakraProvider } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { Provider } from 'jotai';
import type { ComponentProps } from 'react';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, expect, it, vi } from 'vitest';
import { endSession, startSession } from '../auth/session';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';
import { system } from '../theme/system';
import { ImageCard } from './ImageCard';

const id = (n: number) => String(n).padStart(24, '0');
const giver = { id: id(2), firstname: 'Omar', lastname: 'Siddiqui' };
const image: Image = {
  id: id(9),
  caption: '',
  contentType: 'image/png',
  createAt: '2026-11-19T10:00:00.000Z',
  isVerified: true,
  isShared: true,
  image_url: 'data:image/webp;base64,AA',
  owner: giver,
  sharedBy: giver,
  shareId: id(7),
  expiresAt: '2099-01-01T00:00:00.000Z',
};
const card = (shown: Image, onAsk: ComponentProps<typeof ImageCard>['onAsk'] = () => {}) => (
  <Provider store={store}>
    <QueryClientProvider client={queryClient}>
      <ChakraProvider value={system}>
        <MemoryRouter>
          <ImageCard image={shown} onAsk={onAsk} />
        </MemoryRouter>
      </ChakraProvider>
    </QueryClientProvider>
  </Provider>
);
const as = (role: 'patient' | 'admin') => startSession({ id: id(1), role: { name: role } } as User, 'token');
afterEach(() => {
  endSession('logout');
  vi.useRealTimers();
});

it('A card removes its picture at the moment when the share ends, however long it was on the screen.', () => {
  vi.useFakeTimers();
  as('patient');
  const { rerender } = render(card(image));
  expect(screen.getByText('Untitled')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Open Untitled' })).toBeTruthy();
  vi.setSystemTime(Date.now() + 3000);
  rerender(card({ ...image, isVerified: false, image_url: null, expiresAt: new Date().toISOString() }));
  expect(screen.getByText('Access has ended')).toBeTruthy();
  expect(screen.getByText('Share ended')).toBeTruthy();
  expect(screen.queryAllByRole('button')).toHaveLength(0);
});

it('A card of a verified share has a button to open it with a visible label, and one control of that name.', () => {
  as('patient');
  const asked = vi.fn();
  const { rerender } = render(card({ ...image, caption: 'Left hand' }, asked));
  const button = screen.getByRole('button', { name: 'Open Left hand' });
  expect(button.textContent).toBe('Open');
  fireEvent.click(button);
  expect(asked).toHaveBeenCalledWith('open', expect.objectContaining({ id: id(9) }));
  rerender(card({ ...image, caption: 'Left hand', isVerified: false, image_url: null }));
  expect(screen.getByRole('button', { name: 'Verify Left hand' }).textContent).toBe('Verify');
  expect(screen.queryByText('Open')).toBeNull();
});

it('A card says why it shows no picture.', () => {
  as('admin');
  const { rerender } = render(card({ ...image, contentType: 'video/mp4', image_url: null }));
  expect(screen.getByText('Unsupported file type: video/mp4')).toBeTruthy();
  rerender(card({ ...image, image_url: null }));
  expect(screen.getByRole('img', { name: 'Preparing the preview' })).toBeTruthy();
  rerender(card({ ...image, image_url: null, frames: 0 }));
  expect(screen.getByText('No preview for this file')).toBeTruthy();
  as('patient');
  rerender(card({ ...image, isVerified: false, image_url: null }));
  expect(screen.getByText('Image not Verified')).toBeTruthy();
});

it('A card tells how far the recipients are, and links to them, only for people who may share the image.', () => {
  as('admin');
  const asked = vi.fn();
  const { shareId: _, sharedBy: __, expiresAt: ___, ...own } = image;
  const { rerender } = render(
    card({ ...own, caption: 'Left hand', recipients: { total: 3, opened: 2, locked: 0, pending: 1 } }, asked),
  );
  fireEvent.click(screen.getByRole('button', { name: '2 of 3 opened. See who has Left hand' }));
  expect(asked).toHaveBeenCalledWith('share', expect.objectContaining({ id: id(9) }));
  as('patient');
  rerender(card(image));
  expect(screen.queryByText(/opened/)).toBeNull();
});

it('A card of one’s own image has no seal, but the state of the only recipient and the end of the access.', () => {
  startSession({ id: giver.id, role: { name: 'healthProvider' } } as User, 'token');
  const { shareId: _, sharedBy: __, expiresAt: ___, ...own } = image;
  const person = { id: id(3), firstname: 'Hina', lastname: 'Raza' };
  const given = (state: 'pending' | 'locked' | 'verified', at = new Date()) => {
    const one = { person, state, at: at.toISOString(), expiresAt: new Date(Date.now() + 3_000_000).toISOString() };
    const count = (wanted: string) => Number(state === wanted);
    const [opened, locked, pending] = [count('verified'), count('locked'), count('pending')];
    return card({ ...own, recipients: { total: 1, opened, locked, pending, one } });
  };
  const { rerender } = render(given('pending'));
  expect(screen.getByText(/Hina.*: code not entered/)).toBeTruthy();
  expect(screen.queryByText('Verified')).toBeNull();
  expect(screen.getByText(/Ends in 50 min/)).toBeTruthy();
  rerender(given('locked'));
  expect(screen.getByText(/Hina.*: locked/)).toBeTruthy();
  rerender(given('verified'));
  expect(screen.getByText(/Hina.* opened it .*\d\d:\d\d/)).toBeTruthy();
});

it('A card of one’s own image says how many guest links of it are live, and links to them.', () => {
  startSession({ id: giver.id, role: { name: 'healthProvider' } } as User, 'token');
  const asked = vi.fn();
  const { shareId: _, sharedBy: __, expiresAt: ___, ...own } = { ...image, caption: 'Left hand', isShared: false };
  const none = { total: 0, opened: 0, locked: 0, pending: 0 };
  const { rerender } = render(card({ ...own, recipients: none }, asked));
  expect(screen.getByText('Yours')).toBeTruthy();
  rerender(card({ ...own, recipients: { ...none, guestLinks: 1 } }, asked));
  expect(screen.queryByText('Yours')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: '1 guest link. See who has Left hand' }));
  expect(asked).toHaveBeenCalledWith('share', expect.objectContaining({ id: id(9) }));
  const one = { person: giver, state: 'pending' as const, at: image.createAt, expiresAt: null };
  rerender(card({ ...own, isShared: true, recipients: { ...none, total: 1, pending: 1, one, guestLinks: 2 } }));
  expect(screen.getByText(/code not entered/)).toBeTruthy();
  expect(screen.getByText('2 guest links')).toBeTruthy();
});

it('A film shows the date of the study, and no date when the file has none.', () => {
  as('admin');
  const { rerender } = render(card(image));
  expect(screen.queryByText('19 NOV 2026')).toBeNull();
  rerender(card({ ...image, contentType: 'application/dicom', dicom: { studyDate: '2026-11-14' } }));
  expect(screen.getByText('14 NOV 2026')).toBeTruthy();
});

/** The id of a share that began at this time. */
const shareFrom = (time: string) => `${Math.floor(Date.parse(time) / 1000).toString(16)}${'0'.repeat(16)}`;

it('The bar of a short share is full at its start, and turns red in its last quarter.', () => {
  // A full second, as ids have no smaller parts.
  vi.useFakeTimers({ now: Date.parse('2026-11-22T10:00:00Z') });
  as('patient');
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const shown = (name: string) => screen.getByText(name).parentElement;
  const { rerender } = render(card({ ...image, shareId: shareFrom(at(0)), expiresAt: at(60) }));
  const bar = () => document.querySelector<HTMLElement>('[style*="width"]')?.style.width;
  expect(bar()).toBe('100%');
  const calm = shown('Ends in 1 hour')?.className;
  rerender(card({ ...image, id: id(8), shareId: shareFrom(at(-46)), expiresAt: at(14) }));
  expect(shown('Ends in 14 min')?.className).not.toBe(calm);
});

it('A card counts a long share in days and hours.', () => {
  vi.useFakeTimers();
  as('patient');
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const { rerender } = render(card({ ...image, expiresAt: inHours(172), shareId: shareFrom(inHours(-20)) }));
  expect(screen.getByText('Ends in 7 days, 4 hours')).toBeTruthy();
  rerender(card({ ...image, id: id(8), expiresAt: inHours(25) }));
  expect(screen.getByText('Ends in 1 day, 1 hour')).toBeTruthy();
});
