import { act, renderHook, waitFor } from '@testing-library/react';
import { Provider } from 'jotai';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSession } from '../auth/session';
import { connectSocket } from '../lib/socket';
import { store } from '../lib/store';
import { useTogether } from './useTogether';

const imageId = 'c'.repeat(24);
const me = {
  id: 'a'.repeat(24),
  email: 'sara.anwar@example.org',
  username: 'sara.anwar',
  firstname: 'Sara',
  lastname: 'Anwar',
  role: { name: 'patient' as const },
};

/** A fake of the connection: what was asked, the next answers, and the app's listeners by event. */
const { asked, answers, listeners, connection } = vi.hoisted(() => {
  const asked: string[] = [];
  const answers: (() => Promise<unknown>)[] = [];
  const listeners = new Map<string, (payload?: unknown) => void>();
  const connection = {
    connected: true,
    on: (name: string, told: (payload?: unknown) => void) => listeners.set(name, told),
    onAny: () => undefined,
    close: () => undefined,
    timeout: () => ({
      emitWithAck: (name: string) => {
        asked.push(name);
        return name === 'view:join' ? (answers.shift() as () => Promise<unknown>)() : Promise.resolve({});
      },
    }),
  };
  return { asked, answers, listeners, connection };
});
vi.mock('socket.io-client', () => ({ io: () => connection }));

let close: () => void;
beforeEach(async () => {
  startSession(me, 'token');
  asked.length = 0;
  close = connectSocket({ token: () => 'token', ended: () => undefined }, []);
  await vi.dynamicImportSettled();
  listeners.get('connect')?.();
});
afterEach(() => close());

const inStore = ({ children }: { children: ReactNode }) => <Provider store={store}>{children}</Provider>;
const join = () => renderHook(() => useTogether(imageId, undefined, true), { wrapper: inStore });
const joins = () => asked.filter((name) => name === 'view:join').length;
const taken = async () => ({ data: { people: [me] } });

it.each([
  ['no answer in time', () => Promise.reject(new Error('operation has timed out'))],
  ['a connection that broke', () => Promise.reject(new Error('socket has been disconnected'))],
  ['a busy server', async () => ({ error: 'UNAVAILABLE', message: 'Away.' })],
])('After %s, the join is tried again, and nobody is told that it was refused.', async (_, fails) => {
  answers.push(fails, taken);
  const { result } = join();
  await waitFor(() => expect(result.current.lost).toBe(false));
  expect([result.current.on, joins()]).toEqual([true, 2]);
});

it('The look counts as lost from the moment at which the browser has no network, and goes on when it is back.', async () => {
  answers.push(taken);
  const { result } = join();
  await waitFor(() => expect(result.current.lost).toBe(false));
  const network = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(result.current.lost).toBe(true);
  network.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event('online')));
  expect(result.current.lost).toBe(false);
  network.mockRestore();
});

it('After a refusal of the server, nobody looks together, and no further join is tried.', async () => {
  answers.push(async () => ({ error: 'NOT_FOUND', message: 'Not found.' }));
  const { result } = join();
  await waitFor(() => expect(result.current.on).toBe(false));
  expect(joins()).toBe(1);
});

it('A person who leaves while the join is to be tried again does not join.', async () => {
  vi.useFakeTimers();
  answers.push(() => Promise.reject(new Error('operation has timed out')));
  const { result } = join();
  await act(() => vi.advanceTimersByTimeAsync(1));
  act(() => result.current.toggle());
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(joins()).toBe(1);
  vi.useRealTimers();
});
