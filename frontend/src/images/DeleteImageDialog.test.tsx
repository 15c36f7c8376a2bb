import type { Image } from '@lightbox/contract/images/schemas.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, hold, opened, renderScreen, sana } from '../lib/testing';
import { DeleteImageDialog } from './DeleteImageDialog';

const study = { id: 'e'.repeat(24), kind: 'dicom', title: 'Left hand', imageCount: 2, modalities: [], size: 1 };
const image = (guestLinks: number | undefined, more: object = {}) =>
  ({
    id: 'c'.repeat(24),
    caption: 'Left hand',
    contentType: 'image/png',
    createAt: '2026-11-19T14:05:31.000Z',
    owner: sana,
    isVerified: true,
    isShared: false,
    image_url: null,
    recipients: { total: 0, opened: 0, locked: 0, pending: 0, ...(guestLinks && { guestLinks }) },
    ...more,
  }) as Image;

async function ask(about: Image) {
  answer({ 'GET /sharing': () => ({ body: { data: [] } }) });
  renderScreen(<DeleteImageDialog open image={about} onClose={() => {}} finalFocus={() => null} />);
  return (await opened('alertdialog')).textContent;
}

beforeEach(() => startSession(sana, 'token'));

describe('the question before a deletion', () => {
  it.each([
    ['an image', 1, {}, '1 guest link to it ends too.'],
    ['an image', 2, {}, '2 guest links to it end too.'],
    ['a study', 2, { study }, '2 guest links to it end too.'],
  ])('For %s with %i guest links it says that they end, and asks for a typed word.', async (_, count, more, words) => {
    expect(await ask(image(count, more))).toContain(words);
    expect(screen.getByRole('textbox')).toBeDefined();
  });

  it('Without guest links it says nothing about them, and asks for no word.', async () => {
    expect(await ask(image(undefined))).not.toContain('guest link');
    expect(screen.queryByRole('textbox')).toBeNull();
  });
});

function Both() {
  const [about, setAbout] = useState<Image>();
  const [first, second] = [image(undefined), image(undefined, { id: 'd'.repeat(24), caption: 'Right hand' })];
  return (
    <>
      <button type="button" onClick={() => setAbout(first)}>
        Left
      </button>
      <button type="button" onClick={() => setAbout(second)}>
        Right
      </button>
      <DeleteImageDialog
        open={about !== undefined}
        image={about}
        onClose={() => setAbout(undefined)}
        finalFocus={() => null}
      />
    </>
  );
}

it('A late answer about one image does not close the question about another.', async () => {
  answer({
    'GET /sharing': () => ({ body: { data: [] } }),
    [`DELETE /upload/image/${'c'.repeat(24)}`]: () => ({ body: { data: {} } }),
  });
  const finish = hold(`/upload/image/${'c'.repeat(24)}`);
  renderScreen(<Both />);
  await userEvent.click(await screen.findByText('Left'));
  await userEvent.click(within(await opened('alertdialog')).getByRole('button', { name: 'Delete image' }));
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  await userEvent.click(screen.getByText('Right'));
  await opened('alertdialog');
  finish();
  await screen.findByText('Image deleted.');
  expect(screen.getByRole('alertdialog').textContent).toContain('Right hand');
});
