import { Provider } from 'jotai';
import { StrictMode } from 'react';
import { RouterProvider } from 'react-router-dom';
import { store } from '../lib/store';
import { Theme } from '../theme/Theme';
import { createRouter } from './Router';

const router = createRouter();

/** Resolves when the code of the first screen is loaded. Until then the page shows the frame of index.html. */
export const firstScreen = new Promise<void>((done) => {
  if (router.state.initialized) return done();
  const stop = router.subscribe(({ initialized }) => {
    if (!initialized) return;
    stop();
    done();
  });
});

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
