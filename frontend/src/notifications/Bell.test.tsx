import '../i18n';
import { ChakraProvider } from '@chakra-ui/react';
import type { Notification } from '@lightbox/contract/notifications/calls.js';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { Provider } from 'jotai';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';
import { Toaster } from '../lib/toaster';
import { system } from '../theme/system';
import { Bell } from './Bell';
import { notificationEvents } from './notifications';

const id = (text: string) => text.padStart(24, '0');
const day = 86_400_000;
let all: Notification[] = [];
let refuse = false;

function server(path: string): Response {
  const url = new URL(path, 'http://here');
  const one = /^\/api\/notifications\/(\w{24})\/read$/.exec(url.pathname)?.[1];
  if (one || url.pathname.endsWith('/read-all')) {
    if (refuse) return new Response('{"error":"UNAVAILABLE","message":"Away."}', { status: 503 });
    all = all.map((notice) => (!one || notice.id === one ? { ...notice, readAt: 'now' } : notice));
    return new Response('{"data":null}');
  }
  const data = url.searchParams.get('unread') ? all.filter(({ readAt }) => !readAt) : all;
  return new Response(JSON.stringify({ data, pagination: { totalItems: data.length, hasNextPage: false } }));
}

async function open() {
  const router = createMemoryRouter(
    [
      { path: '/', element: <Bell /> },
      { path: '*', element: <Bell /> },
    ],
    { initialEntries: ['/'] },
  );
  render(
    <Provider store={store}>
      <QueryClientProvider client={queryClient}>
        <ChakraProvider value={system}>
          <RouterProvider router={router} />
          <Toaster />
        </ChakraProvider>
      </QueryClientProvider>
    </Provider>,
  );
  return router;
}
const bell = (name: string) => screen.findByRole('button', { name });

beforeEach(() => {
  refuse = false;
  queryClient.clear();
  const at = (ago: number) => new Date(Date.now() - ago).toISOString();
  all = [
    { id: id('1'), kind: 'analysis.completed', recordId: id('f'), at: at(0) },
    { id: id('2'), kind: 'share.created', recordId: id('f'), at: at(day) },
    { id: id('3'), kind: 'share.verified', recordId: id('f'), at: at(9 * day), readAt: at(8 * day) },
  ];
  globalThis.fetch = vi.fn(async (path) => {
    // Delay the refusal, so that the test can see the bell before it.
    if (refuse && String(path).includes('read-all')) await new Promise((done) => setTimeout(done, 400));
    return server(String(path));
  });
});

describe('the bell', () => {
  it('The bell counts and lists notifications by day, and each one leads to its screen.', async () => {
    const router = await open();
    fireEvent.click(await bell('Notifications, 2 unread'));
    const list = await screen.findByRole('dialog');
    expect((await within(list).findAllByRole('heading', { level: 3 })).map((one) => one.textContent)).toEqual([
      'Today',
      'Yesterday',
      expect.stringMatching(/\d/),
    ]);
    fireEvent.click(within(list).getByRole('link', { name: /An analysis is ready/ }));
    await waitFor(() => expect(router.state.location.pathname).toBe(`/ai-analysis/${id('f')}`));
    expect(await bell('Notifications, 1 unread')).toBeTruthy();
  });

  it('The bell marks all as read, and undoes it when the server refuses.', async () => {
    await open();
    fireEvent.click(await bell('Notifications, 2 unread'));
    await screen.findByText('An analysis is ready');
    refuse = true;
    fireEvent.click(screen.getByRole('button', { name: 'Mark all as read' }));
    expect(await bell('Notifications')).toBeTruthy();
    expect(await bell('Notifications, 2 unread')).toBeTruthy();
    refuse = false;
    fireEvent.click(screen.getByRole('button', { name: 'Mark all as read' }));
    expect(await bell('Notifications')).toBeTruthy();
  });

  it('A new notification is announced once while the list is closed.', async () => {
    await open();
    await bell('Notifications, 2 unread');
    const notice: Notification = { id: id('4'), kind: 'share.revoked', at: new Date().toISOString() };
    all = [notice, ...all];
    act(() => notificationEvents['notification:new']?.(notice, queryClient));
    act(() => notificationEvents['notification:new']?.(notice, queryClient));
    expect(await bell('Notifications, 3 unread')).toBeTruthy();
    expect(await screen.findAllByText('Your access has ended')).toHaveLength(1);
  });

  it('A notification names the person and the image, and says when the access ends.', async () => {
    const tomorrow = new Date(Date.now() + day);
    const actor = { id: id('a'), firstname: 'Sana', lastname: 'Mirza' };
    const expiresAt = tomorrow.toISOString();
    const at = new Date().toISOString();
    all = [{ id: id('5'), kind: 'share.created', recordId: id('f'), at, actor, caption: 'Chest PA', expiresAt }];
    await open();
    fireEvent.click(await bell('Notifications, 1 unread'));
    const link = await screen.findByRole('link', { name: /Sana Mirza.* shared .*Chest PA/ });
    expect(link.textContent).toMatch(/Ends tomorrow \S*\d\d:\d\d/);
    // A sentence of the page has its direction, also when it begins with a name in another script.
    expect(link.querySelector('bdi, [dir=auto]')).toBeNull();
  });

  it('A notification is read when its image is opened in another way, and not before.', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    const router = await open();
    await bell('Notifications, 2 unread');
    await act(() => router.navigate('/view-images'));
    expect(all.filter(({ readAt }) => !readAt)).toHaveLength(2);
    await act(() => router.navigate(`/view-images?image=${id('f')}`));
    expect(await bell('Notifications, 1 unread')).toBeTruthy();
    expect(all.find(({ kind }) => kind === 'share.created')?.readAt).toBeTruthy();
  });

  it('An empty list says so.', async () => {
    all = [];
    await open();
    fireEvent.click(await bell('Notifications'));
    expect(await screen.findByText('No notifications yet')).toBeTruthy();
  });
});
