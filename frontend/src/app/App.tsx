import { Provider } from 'jotai';
import { StrictMode } from 'react';
import { RouterProvider } from 'react-router-dom';
import { store } from '../lib/store';
import { Theme } from '../theme/Theme';
import { createRouter } from './Router';

const router = createRouter();

export function App() {
  return (
    <StrictMode>
      <Provider store={store}>
        <Theme>
          <RouterProvider router={router} />
        </Theme>
      </Provider>
    </StrictMode>
  );
}
