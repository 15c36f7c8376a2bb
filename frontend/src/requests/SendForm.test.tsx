import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { answer, renderRoutes } from '../lib/testing';
import { SendImages } from './SendImages';

const asked = {
  state: 'waiting',
  expiresAt: '2099-01-01T00:00:00.000Z',
  asker: { firstname: 'Sana', lastname: 'Qadir' },
  note: null,
  kind: 'folder',
  maxFiles: 100,
  maxBytes: 1_000,
};
const show = () => renderRoutes([{ path: '/send/:link', element: <SendImages /> }], '/send/link#proof');
const picture = (n: number) => new File([new Uint8Array([0xff, 0xd8, 0xff, n])], `${n}.jpg`, { type: 'image/jpeg' });

/** Chooses files as in the browser's own dialog. */
async function choose(files: File[]) {
  const dialog = vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(function (this: HTMLInputElement) {
    Object.defineProperty(this, 'files', { value: files });
    this.onchange?.(new Event('change'));
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Choose files or a ZIP' }));
  dialog.mockRestore();
}

it('A sender who begins again after a refusal is told of the files that have arrived.', async () => {
  let arrived = 0;
  let tries = 0;
  answer({
    'POST /send/open': () => ({ body: { data: { ...asked, files: arrived, token: 'token' } } }),
    // The answer that a file has arrived stands for its sending.
    'GET /send/known': () => {
      tries += 1;
      if (tries === 1) return { status: 422, body: { message: '', error: 'VALIDATION_FAILED', requestId: 'r' } };
      arrived += 1;
      return { body: { data: { known: true } } };
    },
  });
  show();
  await choose([1, 2, 3].map(picture));
  await userEvent.click(await screen.findByRole('button', { name: 'Send' }));
  await screen.findByText('1 file could not be sent');
  await userEvent.click(screen.getByRole('button', { name: 'Choose something else' }));
  await screen.findByText('2 files of an earlier try have arrived. They will be handed over too.');
  await screen.findByRole('button', { name: 'Remove them' });
});
