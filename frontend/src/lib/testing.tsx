import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import { Provider } from 'jotai';
import { useState } from 'react';
import { createMemoryRouter, type InitialEntry, type RouteObject, RouterProvider } from 'react-router-dom';
import { expect } from 'vitest';
import { Theme } from '../theme/Theme';
import { queryClient } from './query';
import { store } from './store';
import { Toaster } from './toaster';

/** A provider, for a session. */
export const sana = {
  id: 'a'.repeat(24),
  email: 's.mirza@example.org',
  username: 'sana.mirza',
  firstname: 'Sana',
  lastname: 'Mirza',
  active: true,
  role: { name: 'healthProvider' as const },
};

/**
 * Renders a screen as the app does: theme, store, cache, router and toasts. All other paths show the text 'elsewhere'.
 */
export const renderScreen = (element: RouteObject['element'], at = '/') =>
  renderRoutes(
    [
      { path: at.split('?')[0] ?? '/', element },
      { path: '*', element: <p>elsewhere</p> },
    ],
    at,
  );

export function renderRoutes(routes: RouteObject[], at: InitialEntry) {
  queryClient.clear();
  const router = createMemoryRouter(routes, { initialEntries: [at] });
  render(
    <Provider store={store}>
      <QueryClientProvider client={queryClient}>
        <Theme>
          <RouterProvider router={router} />
          <Toaster />
        </Theme>
      </QueryClientProvider>
    </Provider>,
  );
  return router;
}

/**
 * Fakes a screen that can be turned: a narrow one matches no `min-width`. `turn` turns it, `restore` brings the
 * original `matchMedia` back.
 */
export function turnable() {
  const before = window.matchMedia;
  const listeners = new Set<() => void>();
  let narrow = false;
  window.matchMedia = (media) =>
    ({
      ...before.call(window, media),
      matches: media.includes('min-width') && !narrow,
      addEventListener: (_: string, changed: () => void) => listeners.add(changed),
      removeEventListener: (_: string, changed: () => void) => listeners.delete(changed),
    }) as unknown as MediaQueryList;
  return {
    turn: (to: 'narrow' | 'wide') =>
      act(() => {
        narrow = to === 'narrow';
        for (const changed of listeners) changed();
      }),
    restore: () => {
      window.matchMedia = before;
    },
  };
}

interface Heard {
  method: string;
  path: string;
  body: unknown;
  headers: Headers;
}

/**
 * Returns the newest request to one endpoint. The screen sends other requests at any time, so it may not be the last.
 */
export const newest = (heard: Heard[], call: string): Heard | undefined =>
  heard.findLast(({ method, path }) => `${method} ${path.split('?')[0]}` === call);

/**
 * Waits for a dialog that has the focus. It takes the focus after it is drawn; earlier keystrokes would go elsewhere.
 */
export async function opened(role: 'dialog' | 'alertdialog' = 'dialog', name?: string): Promise<HTMLElement> {
  const dialog = await screen.findByRole(role, name ? { name } : {});
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  return dialog;
}

/**
 * Answers the app's requests by a table: `'POST /auth/login': () => ({ status, body })`. Returns the list of requests.
 */
export function answer(table: Record<string, (heard: Heard) => { status?: number; body: unknown }>): Heard[] {
  const heard: Heard[] = [];
  globalThis.fetch = async (input, init) => {
    const url = new URL(String(input), 'http://app.test');
    const one = {
      method: init?.method ?? 'GET',
      path: url.pathname.replace('/api', '') + url.search,
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
      headers: new Headers(init?.headers),
    };
    heard.push(one);
    const found = table[`${one.method} ${url.pathname.replace('/api', '')}`];
    const { status = 200, body } = found?.(one) ?? {
      status: 404,
      body: { message: 'Not found.', error: 'NOT_FOUND', requestId: 'r' },
    };
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
  };
  return heard;
}

/** The state of a dialog that is open at first. `closed` is told each time that it asks to be closed. */
export function useClosing(closed: () => void) {
  const [open, setOpen] = useState(true);
  const onClose = () => {
    closed();
    setOpen(false);
  };
  return { open, onClose, finalFocus: () => null };
}

/** Holds the answers to the requests whose path ends so, until the returned function is called. For use after `answer`. */
export function hold(path: string): () => void {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answering = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    if (String(input).endsWith(path)) await held;
    return answering(input, init);
  };
  return release;
}
