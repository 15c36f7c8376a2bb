import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { Provider } from 'jotai';
import { createMemoryRouter, type RouteObject, RouterProvider } from 'react-router-dom';
import { Theme } from '../theme/Theme';
import { queryClient } from './query';
import { store } from './store';
import { Toaster } from './toaster';

/** Renders a screen as the app does: theme, store, cache, router and toasts. Other addresses show themselves as text. */
export function renderScreen(element: RouteObject['element'], at = '/') {
  queryClient.clear();
  const router = createMemoryRouter(
    [
      { path: at.split('?')[0] ?? '/', element },
      { path: '*', element: <p>elsewhere</p> },
    ],
    { initialEntries: [at] },
  );
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

interface Heard {
  method: string;
  path: string;
  body: unknown;
  headers: Headers;
}

/** Answers the app's calls by table: `'POST /auth/login': () => ({ status, body })`. Returns what was asked. */
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
