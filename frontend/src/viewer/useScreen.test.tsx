import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createBrowserRouter, Link, RouterProvider } from 'react-router-dom';
import { afterEach, expect, it } from 'vitest';
import { paths } from '../lib/paths';
import { windowForRouter } from '../lib/routerWindow';
import { useScreen } from './useScreen';

function Viewer() {
  const { onBack } = useScreen(true);
  return (
    <button type="button" onClick={onBack}>
      Back
    </button>
  );
}

const image = paths.viewer('c'.repeat(24));
const routes = [
  { path: image, element: <Viewer /> },
  { path: paths.viewImages, element: <p>the gallery</p> },
  { path: '/before', element: <Link to={image}>Open</Link> },
  { path: '*', element: <p>another site</p> },
];

let router: ReturnType<typeof createBrowserRouter>;
/** Begins the product at an address, in a tab in which the person was elsewhere before. */
function begin(address: string) {
  history.pushState(null, '', '/elsewhere');
  history.pushState(null, '', address);
  router = createBrowserRouter(routes, { window: windowForRouter() });
  render(<RouterProvider router={router} />);
}
const back = async () => userEvent.click(await screen.findByRole('button', { name: 'Back' }));
afterEach(() => router.dispose());

it('Back in a viewer with which the visit began leads to the gallery, and not out of the product.', async () => {
  begin(image);
  await back();
  expect(await screen.findByText('the gallery')).toBeTruthy();
});

it('Back in a viewer that was opened from a page leads to that page.', async () => {
  begin('/before');
  await userEvent.click(await screen.findByText('Open'));
  await back();
  expect(await screen.findByText('Open')).toBeTruthy();
});
