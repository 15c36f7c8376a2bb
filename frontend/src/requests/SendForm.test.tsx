import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { answer, hold, newest, renderRoutes } from '../lib/testing';
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
const refusal = (status: number, error: string, message = '') => ({ status, body: { message, error, requestId: 'r' } });
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
      if (tries === 1) return refusal(422, 'VALIDATION_FAILED');
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

it.each([
  ['Hand them over now', 'POST /send/finish'],
  ['Remove them', 'DELETE /send/files'],
])(
  'While the answer to “%s” is awaited nothing more can be asked about the files, and a failure is told.',
  async (act, call) => {
    const heard = answer({
      'POST /send/open': () => ({ body: { data: { ...asked, files: 2, token: 'token' } } }),
      [call]: () => refusal(500, 'INTERNAL', 'The server has a problem.'),
    });
    const release = hold(call.split(' ')[1] as string);
    show();
    await userEvent.click(await screen.findByRole('button', { name: act }));
    const open = () => heard.filter(({ path }) => path === '/send/open').length;
    const both = screen.getAllByRole<HTMLButtonElement>('button', { name: /Hand them over now|Remove them/ });
    expect(both).toHaveLength(2);
    await waitFor(() => expect(both.every(({ disabled }) => disabled)).toBe(true));
    expect(open()).toBe(1);
    release();
    expect((await screen.findByRole('alert')).textContent).toBe('The server has a problem.');
    await waitFor(() => expect(open()).toBe(2));
    expect(both.some(({ disabled }) => disabled)).toBe(false);
  },
);

it('A sender whose time to send is over is told to try again, and the next try has a new token.', async () => {
  let opened = 0;
  const heard = answer({
    'POST /send/open': () => {
      opened += 1;
      return { body: { data: { ...asked, files: 2, token: `token ${opened}` } } };
    },
    'POST /send/finish': ({ headers }) =>
      headers.get('Authorization') === 'Bearer token 2'
        ? { body: { data: null } }
        : refusal(401, 'JWT_EXPIRED', 'jwt expired'),
  });
  show();
  const act = await screen.findByRole('button', { name: 'Hand them over now' });
  await userEvent.click(act);
  expect((await screen.findByRole('alert')).textContent).toBe('An error occurred. Please try again.');
  await waitFor(() => expect(opened).toBe(2));
  await userEvent.click(act);
  await screen.findByText('Sana Qadir will look at it.');
  expect(newest(heard, 'POST /send/finish')?.headers.get('Authorization')).toBe('Bearer token 2');
});
