import { QueryClientProvider } from '@tanstack/react-query';
import { Provider } from 'jotai';
import { StrictMode } from 'react';
import { RouterProvider } from 'react-router-dom';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';
import { Theme } from '../theme/Theme';
import { createRouter } from './Router';

const router = createRouter();

export function App() {
  return (
    <StrictMode>
      <Provider store={store}>
        <QueryClientProvider client={queryClient}>
          <Theme>
            <RouterProvider router={router} />
          </Theme>
        </QueryClientProvider>
      </Provider>
    </StrictMode>
  );
}
