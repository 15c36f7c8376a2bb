import type { Image } from '@lightbox/contract/images/schemas.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { answer, hold, newest, opened, renderScreen, useClosing } from '../lib/testing';
import { RenameDialog } from './RenameDialog';

const study = { id: 'e'.repeat(24), title: 'CT', imageCount: 3 } as NonNullable<Image['study']>;
const image = { id: 'c'.repeat(24), study } as Image;
const closed = vi.fn();

function Screen() {
  return <RenameDialog image={image} {...useClosing(closed)} />;
}

it('A title that is saved after the dialog was closed is told, and closes nothing more.', async () => {
  const call = `PUT /studies/${study.id}`;
  const heard = answer({ [call]: () => ({ body: { data: { ...study, title: 'CT 2' } } }) });
  const release = hold(study.id);
  renderScreen(<Screen />);
  const dialog = within(await opened());
  await userEvent.click(dialog.getByRole('button', { name: 'Save title' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  release();
  await screen.findByText('The study has its new title.');
  expect(newest(heard, call)).toBeTruthy();
  expect(closed).toHaveBeenCalledTimes(1);
});
