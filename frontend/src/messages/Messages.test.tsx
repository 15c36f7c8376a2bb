import '../i18n';
import { ChakraProvider } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, renderHook, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Provider } from 'jotai';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { endSession } from '../auth/session';
import { socketAtom } from '../lib/connection';
import { ApiError } from '../lib/http';
import { queryClient } from '../lib/query';
import * as socket from '../lib/socket';
import { store } from '../lib/store';
import { system } from '../theme/system';
import type { Chat } from './chat';
import { chatKey } from './keys';
import { Messages } from './Messages';
import { messageEvents } from './messages';
import { ana, ben, chatOf, cleo, id, listOf, message, signIn } from './testing';
import { useChatSearch } from './useChatSearch';

const emit = vi.spyOn(socket, 'emit');
afterAll(() => emit.mockRestore());

let all: Message[] = [];
let people: unknown[] = [];
let online: ReadonlySet<string> = new Set();
let next = 100;

const answer = (path: string): unknown => {
  if (path.startsWith('/api/message/chat-list')) return { data: listOf(all, ana, online) };
  const chat = /^\/api\/message\/chat\/(\w+)/.exec(path)?.[1];
  if (chat) return { data: chatOf(all, chat).slice(-limits.chatLimit) };
  if (path.startsWith('/api/message/since')) return { data: { messages: [], cursor: 'c', more: false } };
  if (path.startsWith('/api/users?')) return { data: path.includes('search=zzz') ? [] : people };
  return { data: { id: ben, firstname: 'Ben', lastname: 'Ruiz', role: { name: 'patient' } } };
};

function open(address = `/messages?chat=${ben}`) {
  const router = createMemoryRouter([{ path: '/messages', element: <Messages VerifyDialog={() => null} /> }], {
    initialEntries: [address],
  });
  render(
    <Provider store={store}>
      <QueryClientProvider client={queryClient}>
        <ChakraProvider value={system}>
          <RouterProvider router={router} />
        </ChakraProvider>
      </QueryClientProvider>
    </Provider>,
  );
  return router;
}

const write = async (text: string) => {
  const field = await screen.findByRole('textbox', { name: /Message to Ben/ });
  fireEvent.change(field, { target: { value: text } });
  return field;
};
const sends = () =>
  emit.mock.calls.filter(([event]) => event === 'message:send').map(([, payload]) => payload as { clientId: string });
const marks = () => emit.mock.calls.filter(([event]) => event === 'message:read').map(([, payload]) => payload);

beforeEach(() => {
  endSession('logout');
  queryClient.clear();
  signIn();
  all = [message(1, ben, ana, { content: 'Good morning' }), message(2, ana, ben, { content: 'Hello Ben' })];
  people = [];
  online = new Set();
  globalThis.fetch = vi.fn(async (path) => new Response(JSON.stringify(answer(String(path)))));
  emit.mockReset();
  emit.mockImplementation(async (event, payload) => {
    if (event !== 'message:send') return null;
    next += 1;
    return { id: id(String(next)), seq: next, senderId: ana, createAt: new Date().toISOString(), ...payload };
  });
  store.set(socketAtom, 'on');
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
});

describe('a chat', () => {
  it('The line above new messages stays in its place while the reader goes through them.', async () => {
    all = [1, 2, 3, 4].map((seq) => message(seq, ben, ana));
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    open();
    await screen.findByText('Words 1');
    const log = screen.getByRole('log');
    const afterLine = () => log.querySelector('[data-new]')?.nextElementSibling?.textContent;
    expect(afterLine()).toContain('Words 1');
    const readUpTo = (seq: number) =>
      act(async () => {
        queryClient.setQueryData<Chat>(chatKey(ben), (chat) => {
          const read = chat?.messages.map((one) => (one.seq <= seq ? { ...one, readAt: one.createAt } : one));
          return chat && read && { ...chat, messages: read };
        });
        // The cache tells its readers in a task of its own.
        await new Promise((done) => setTimeout(done));
      });
    await readUpTo(2);
    expect(afterLine()).toContain('Words 1');
    await readUpTo(4);
    act(() => messageEvents['message:new'](message(5, ben, ana), queryClient));
    await waitFor(() => expect(afterLine()).toContain('Words 5'));
  });

  it('Each message has its time, also one that stands together with the next.', async () => {
    all = [1, 2].map((seq) => message(seq, ben, ana, { createAt: `2026-11-19T14:05:0${seq}.000Z` }));
    open();
    const log = await screen.findByRole('log');
    await within(log).findByText('Words 2');
    expect(log.querySelectorAll('[data-message] time')).toHaveLength(2);
  });

  it('Without a connection nobody is shown as online.', async () => {
    online = new Set([ben]);
    open();
    await screen.findByText('Online now');
    act(() => store.set(socketAtom, 'connecting'));
    expect(screen.queryByText('Online now')).toBeNull();
    expect(screen.queryByText(/, online,/)).toBeNull();
  });

  it('Nobody is shown as online from the moment at which the browser has no network, while the socket still waits.', async () => {
    online = new Set([ben]);
    open();
    await screen.findByText('Online now');
    const network = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    act(() => void window.dispatchEvent(new Event('offline')));
    expect(screen.queryByText('Online now')).toBeNull();
    expect(screen.queryByText(/, online,/)).toBeNull();
    network.mockReturnValue(true);
    act(() => void window.dispatchEvent(new Event('online')));
    expect(screen.getByText('Online now')).toBeTruthy();
    network.mockRestore();
  });

  it('The bubble of a new message appears at once, and says Sent when the server has stored it.', async () => {
    let acknowledge: (value: unknown) => void = () => {};
    open();
    await screen.findByText('Good morning');
    const field = await write('How are you?');
    emit.mockImplementation((event) => {
      if (event !== 'message:send') return Promise.resolve(null);
      return new Promise((yes) => {
        acknowledge = yes;
      });
    });
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(field).toHaveProperty('value', '');
    const log = screen.getByRole('log');
    expect(within(log).getByText('How are you?')).toBeTruthy();
    expect(within(log).getByText('Sending')).toBeTruthy();
    const [payload] = sends();
    await act(async () =>
      acknowledge({ id: id('f1'), seq: 50, senderId: ana, createAt: new Date().toISOString(), ...payload }),
    );
    expect(within(log).queryByText('Sending')).toBeNull();
    expect(within(log).getAllByText('Sent')).toHaveLength(2);
    const list = screen.getByRole('region', { name: 'Chats' });
    await waitFor(() => expect(within(list).getByText('How are you?').parentElement?.textContent).toContain('You:'));
  });

  it('A message that was not sent offers Retry, which sends the same clientId.', async () => {
    emit.mockImplementation(async (event) => {
      if (event === 'message:send') throw new ApiError(400, 'FORBIDDEN', 'You don’t have permission to do this.');
      return null;
    });
    open();
    fireEvent.keyDown(await write('Hello?'), { key: 'Enter' });
    expect(await screen.findByText('Not sent')).toBeTruthy();
    expect(screen.getByText('You can no longer write to this person.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(sends()).toHaveLength(2));
    expect(sends()[0]?.clientId).toBe(sends()[1]?.clientId);
  });

  it('Enter sends, Shift and Enter and blank text do not, and a counter appears near the limit.', async () => {
    open();
    fireEvent.keyDown(await write('   '), { key: 'Enter' });
    const field = await write('one');
    fireEvent.keyDown(field, { key: 'Enter', shiftKey: true });
    expect(sends()).toHaveLength(0);
    fireEvent.keyDown(await write('x'.repeat(limits.messageLength + 2)), { key: 'Enter' });
    expect(screen.getByText(/4000 characters/)).toBeTruthy();
    await write('x'.repeat(limits.messageLength + 1));
    expect(screen.getByText('1 character too many')).toBeTruthy();
    await write('x'.repeat(limits.messageLength - 5));
    expect(screen.getByText('5 characters left')).toBeTruthy();
    expect(sends()).toHaveLength(0);
  });

  it('A chat is a live region, and marks messages as read, only while the tab has the focus.', async () => {
    const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    open();
    const log = await screen.findByRole('log');
    expect(log.getAttribute('aria-live')).toBe('off');
    expect(marks()).toEqual([]);
    focus.mockReturnValue(true);
    fireEvent.focus(window);
    expect(log.getAttribute('aria-live')).toBe('polite');
    await waitFor(() => expect(marks()).toEqual([{ userId: ben, upTo: all[0]?.id }]));
  });

  it('A message behind a dialog is not marked as read.', async () => {
    open();
    await waitFor(() => expect(marks()).toHaveLength(1));
    await userEvent.click(screen.getByRole('button', { name: 'New chat' }));
    await screen.findByRole('dialog');
    // The dialog covers the chat a moment after it appears.
    await waitFor(() => expect(screen.queryByRole('log')).toBeNull());
    act(() => messageEvents['message:new']?.(message(3, ben, ana, { content: 'Behind it' }), queryClient));
    await screen.findByText('Behind it');
    fireEvent.focus(window);
    expect(marks()).toHaveLength(1);
  });

  it('A bubble shows new receipts in words.', async () => {
    open();
    const log = await screen.findByRole('log');
    const own = all[1]?.id ?? '';
    act(() => messageEvents['message:delivered']?.({ userId: ben, ids: [own], at: 'now' }, queryClient));
    expect(await within(log).findByText('Delivered')).toBeTruthy();
    act(() => messageEvents['message:read']?.({ userId: ben, upTo: own, at: 'now' }, queryClient));
    expect(await within(log).findByText('Read')).toBeTruthy();
  });

  it('A link may offer a first sentence, which does not replace a draft.', async () => {
    const router = open('/messages');
    const field = async () => (await screen.findByRole('textbox', { name: /Message to Ben/ })) as HTMLTextAreaElement;
    await act(() => router.navigate(`/messages?chat=${ben}`, { state: { draft: 'A new code, please.' } }));
    await waitFor(async () => expect((await field()).value).toBe('A new code, please.'));
    expect(router.state.location.state).toBeNull();
    await write('A new code, please. Thank you.');
    await act(() => router.navigate('/messages'));
    await act(() => router.navigate(`/messages?chat=${ben}`, { state: { draft: 'Another one.' } }));
    expect((await field()).value).toBe('A new code, please. Thank you.');
  });

  it('A draft is restored when its chat is opened again.', async () => {
    all.push(message(3, cleo, ana, { content: 'From Cleo' }));
    const router = open();
    await write('Half a thought');
    await act(() => router.navigate(`/messages?chat=${cleo}`));
    expect(await screen.findByRole('textbox', { name: /Message to Cleo/ })).toHaveProperty('value', '');
    await act(() => router.navigate(`/messages?chat=${ben}`));
    expect(await screen.findByRole('textbox', { name: /Message to Ben/ })).toHaveProperty('value', 'Half a thought');
  });
});

describe('the chat list', () => {
  it('An empty chat list says what to do.', async () => {
    all = [];
    open('/messages');
    expect(await screen.findByText('No chats available')).toBeTruthy();
    expect(screen.getByText('Select a chat to start messaging')).toBeTruthy();
  });

  it('The text of an own message has its own direction in the list, without the word before it.', async () => {
    open('/messages');
    const text = await screen.findByText('Hello Ben');
    expect(text.closest('[dir=auto]')?.textContent).toBe('Hello Ben');
    expect(text.closest('a')?.textContent).toContain('You:');
  });

  it('The arrow keys move through the chat list.', async () => {
    all.push(message(3, cleo, ana, { content: 'From Cleo' }));
    open('/messages');
    const [first, second] = await within(await screen.findByRole('region', { name: 'Chats' })).findAllByRole('link');
    first?.focus();
    fireEvent.keyDown(first as Element, { key: 'ArrowDown' });
    expect(document.activeElement).toBe(second);
  });

  it('A new chat begins with a person from the directory and a first message.', async () => {
    people = [{ id: ben, firstname: 'Ben', lastname: 'Ruiz', email: 'ben@example.org', username: 'ben' }];
    all = [];
    const router = open('/messages');
    await userEvent.click((await screen.findAllByRole('button', { name: 'New chat' }))[0] as Element);
    const search = await screen.findByPlaceholderText('Search user by name or email...');
    expect(screen.getByText('Select User to Chat')).toBeTruthy();
    await userEvent.type(search, 'zzz');
    expect(await screen.findByText('No users found')).toBeTruthy();
    await userEvent.clear(search);
    const person = await screen.findByRole('button', { name: /Ben Ruiz/ });
    expect(within(person).getByText('User')).toBeTruthy();
    await userEvent.click(person);
    expect(await screen.findByText('Send Message')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Message'), { target: { value: 'Hello' } });
    await userEvent.click(screen.getByRole('button', { name: 'Send' }));
    await waitFor(() => expect(router.state.location.search).toBe(`?chat=${ben}`));
    expect(sends()).toMatchObject([{ recipientId: ben, content: 'Hello' }]);
  });
});

describe('a patient and a provider without a care relationship', () => {
  const admins: string[] = [];
  const dara = { id: id('d'), firstname: 'Dara', lastname: 'Noor', email: 'dara@example.org', role: 'healthProvider' };
  const adil = { id: id('e'), firstname: 'Adil', lastname: 'Shah', email: 'adil@example.org', role: 'admin' };

  beforeEach(() => {
    admins.length = 0;
    signIn(ana, 'patient');
    all = [];
    globalThis.fetch = vi.fn(async (address) => {
      const path = String(address);
      if (path.includes('role=admin')) admins.push(path);
      if (path.includes(`/chat/${dara.id}`))
        return new Response(JSON.stringify({ error: 'NOT_FOUND', message: 'Not found.' }), { status: 404 });
      if (path.startsWith('/api/users?'))
        return new Response(JSON.stringify({ data: path.includes('role=admin') ? [adil] : [dara, adil] }));
      if (path.endsWith(`/users/${dara.id}`))
        return new Response(JSON.stringify({ data: { ...dara, role: { name: dara.role } } }));
      return new Response(JSON.stringify(answer(path)));
    });
  });

  it('The chat says why the two cannot write to each other, and leads to the administrators.', async () => {
    open(`/messages?chat=${dara.id}`);
    await screen.findByRole('heading', { name: 'You cannot write to each other yet' });
    expect(screen.getByText(/An administrator can share one of your images with them/).textContent).toMatch(
      /^You can write to Dara Noor/,
    );
    expect(screen.queryByRole('textbox', { name: /Message to/ })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Write to an administrator' }));
    const dialog = await screen.findByRole('dialog', { name: 'Select User to Chat' });
    await userEvent.click(await within(dialog).findByText('Adil Shah'));
    expect(admins).toHaveLength(1);
    expect(await screen.findByRole('textbox', { name: 'Message' })).toBeTruthy();
  });

  it('The dialog says so too, before the patient can write.', async () => {
    open('/messages');
    await userEvent.click((await screen.findAllByRole('button', { name: 'New chat' }))[0] as Element);
    await userEvent.click(await screen.findByText('Dara Noor'));
    const dialog = await screen.findByRole('dialog', { name: 'Send Message' });
    await within(dialog).findByText('You cannot write to each other yet');
    expect(within(dialog).queryByRole('textbox')).toBeNull();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Write to an administrator' }));
    const list = await screen.findByRole('dialog', { name: 'Select User to Chat' });
    expect(await within(list).findByText('Adil Shah')).toBeTruthy();
    expect(within(list).queryByText('Dara Noor')).toBeNull();
  });

  it('A provider who finds no patient learns that an administrator can share an image.', async () => {
    signIn();
    open('/messages');
    await userEvent.click((await screen.findAllByRole('button', { name: 'New chat' }))[0] as Element);
    globalThis.fetch = vi.fn(async () => new Response(JSON.stringify({ data: [] })));
    fireEvent.change(await screen.findByRole('searchbox'), { target: { value: 'zzz' } });
    expect(await screen.findByText(/An administrator can share an image of theirs with you/)).toBeTruthy();
  });
});

it('A step of the search that failed is taken again, and the search no longer says that it could not load.', async () => {
  let away = false;
  globalThis.fetch = vi.fn(async (_, init) => {
    if (away) return new Response('{}', { status: 500 });
    const older = String(init?.body).includes('before');
    const hits = [{ id: id(older ? '1' : '2'), seq: older ? 1 : 2, createAt: '2026-11-19T14:05:00.000Z' }];
    return new Response(JSON.stringify({ data: { hits, before: older ? null : 'b' } }));
  });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useChatSearch(ben, true), { wrapper });
  act(() => result.current.setText('Words'));
  await waitFor(() => expect(result.current.found?.count).toBe(1));
  away = true;
  await act(() => result.current.step(1));
  expect(result.current.failed).toBe(true);
  away = false;
  await act(() => result.current.step(1));
  expect([result.current.found?.count, result.current.failed]).toEqual([2, false]);
});
