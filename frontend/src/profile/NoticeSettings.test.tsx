import { defaultNoticeSettings, type NoticeSettings as Settings } from '@lightbox/contract/notifications/choices.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { queryClient } from '../lib/query';
import { answer, renderScreen } from '../lib/testing';
import { NoticeSettings } from './NoticeSettings';

const me: User = {
  ...{ id: 'a'.repeat(24), email: 's.mirza@example.org', username: 'sana.mirza', firstname: 'Sana', lastname: 'Mirza' },
  ...{ active: true, role: { name: 'patient' } },
};
const path = '/users/profile/notifications';
const before: Settings = { ...defaultNoticeSettings, timeZone: 'Asia/Karachi' };

/** A server that stores the settings, or refuses to. */
function server(settings = before, refuse = false) {
  let stored = settings;
  return answer({
    [`GET ${path}`]: () => ({ body: { data: stored } }),
    [`PUT ${path}`]: ({ body }) => {
      if (refuse) return { status: 503, body: { error: 'UNAVAILABLE', message: 'Away.' } };
      stored = body as Settings;
      return { body: { data: stored } };
    },
    'GET /push/key': () => ({ body: { data: { key: null } } }),
  });
}
const open = async () => {
  renderScreen(<NoticeSettings />, '/profile/notifications');
  await screen.findByRole('group', { name: 'Messages' });
};
const box = (name: string) => screen.getByRole('checkbox', { name }) as HTMLInputElement;
const sent = (heard: ReturnType<typeof answer>) =>
  heard.filter(({ method }) => method === 'PUT').map(({ body }) => body as Settings);

beforeEach(() => {
  queryClient.clear();
  startSession(me, 'token');
});

describe('the choices of notifications', () => {
  it('Each switch has a name of its own, and what cannot be turned off says so.', async () => {
    server();
    await open();
    expect(screen.getAllByRole('checkbox').map((one) => (one as HTMLInputElement).labels?.[0]?.textContent)).toEqual([
      ...['Shares and codes: In the app', 'Shares and codes: On devices', 'Shares and codes: By email'],
      ...['Images and analyses: In the app', 'Images and analyses: On devices', 'Images and analyses: By email'],
      ...['Messages: On devices', 'Messages: By email'],
      'No notifications on devices at certain hours',
    ]);
    within(screen.getByRole('group', { name: 'Account and security' })).getByText('Always on');
    expect(screen.queryByRole('group', { name: 'Administration' })).toBeNull();
    await screen.findByText(/count for your other browsers. This browser cannot/);
  });

  it('An administrator also chooses about administration.', async () => {
    startSession({ ...me, role: { name: 'admin' } }, 'token');
    server();
    await open();
    expect(box('Administration: By email').checked).toBe(false);
  });

  it('A change is saved at once with the time zone of the browser, and the screen says so.', async () => {
    const heard = server();
    await open();
    await userEvent.click(box('Shares and codes: By email'));
    expect(box('Shares and codes: By email').checked).toBe(true);
    await screen.findByText('Saved.');
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const shares = { app: true, device: true, mail: true };
    expect(sent(heard)).toEqual([{ ...before, timeZone, choices: { ...before.choices, shares } }]);
  });

  it('A change that the server refuses is undone, and the error is shown.', async () => {
    server(before, true);
    await open();
    await userEvent.click(box('Messages: By email'));
    await screen.findByText('Away.');
    await waitFor(() => expect(box('Messages: By email').checked).toBe(true));
    expect(screen.queryByText('Saved.')).toBeNull();
  });

  it('Two changes in a row are both saved, in their order.', async () => {
    const heard = server();
    await open();
    await userEvent.click(box('Messages: By email'));
    await userEvent.click(box('Messages: On devices'));
    await waitFor(() => expect(sent(heard)).toHaveLength(2));
    expect(sent(heard).at(-1)?.choices.messages).toEqual({ app: true, device: false, mail: false });
    await waitFor(() => expect(box('Messages: On devices').checked).toBe(false));
  });
});

describe('quiet hours and the digest', () => {
  it('Quiet hours have two times, which must differ.', async () => {
    const heard = server();
    await open();
    await userEvent.click(box('No notifications on devices at certain hours'));
    const from = await screen.findByLabelText('From');
    expect(sent(heard)).toMatchObject([{ quiet: { from: '22:00', to: '07:00' } }]);
    await userEvent.clear(from);
    await userEvent.type(from, '07:00');
    await userEvent.tab();
    await screen.findByText('Must be another time than the beginning.');
    expect(sent(heard)).toHaveLength(1);
    await userEvent.clear(from);
    await userEvent.type(from, '21:30');
    await userEvent.tab();
    await waitFor(() => expect(sent(heard).at(-1)?.quiet).toEqual({ from: '21:30', to: '07:00' }));
    await userEvent.click(box('No notifications on devices at certain hours'));
    await waitFor(() => expect(sent(heard).at(-1)).not.toHaveProperty('quiet'));
  });

  it('The digest is chosen with its time.', async () => {
    const heard = server();
    await open();
    expect(screen.queryByLabelText('Time')).toBeNull();
    await userEvent.click(screen.getByRole('radio', { name: 'Mondays' }));
    const time = await screen.findByLabelText('Time');
    await userEvent.clear(time);
    await userEvent.type(time, '06:15');
    await userEvent.tab();
    await waitFor(() => expect(sent(heard).at(-1)).toMatchObject({ digest: 'weekly', digestAt: '06:15' }));
  });
});
