import { ChakraProvider } from '@chakra-ui/react';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { createBrowserRouter, Link, RouterProvider, useNavigate, useSearchParams } from 'react-router-dom';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { system } from '../theme/system';
import { Modal } from '../ui/Modal';
import { adopt } from './goingBack';
import { windowForRouter } from './routerWindow';

/** A page with a sheet, in which another one may be opened. */
function Page() {
  const [sheet, setSheet] = useState(false);
  const [second, setSecond] = useState(false);
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const press = (name: string, act: () => void) => (
    <button type="button" onClick={act}>
      {name}
    </button>
  );
  return (
    <main>
      <p>Page {params.get('name')}</p>
      {press('Open', () => setSheet(true))}
      <Modal open={sheet} onClose={() => setSheet(false)} title="Sheet">
        {press('Second', () => setSecond(true))}
        {press('Name', () => setParams({ name: 'named' }, { replace: true }))}
        {press('Leave', () => void navigate(-1))}
        <Link to="/other">Other</Link>
      </Modal>
      <Modal open={second} onClose={() => setSecond(false)} title="Second sheet">
        {press('Nothing', () => {})}
      </Modal>
    </main>
  );
}

const routes = [
  { path: '/before', element: <Link to="/page">Page</Link> },
  { path: '/page', element: <Page /> },
  { path: '/other', element: <p>Other page</p> },
  { path: '*', element: null },
];

let router: ReturnType<typeof createBrowserRouter>;
const start = () => {
  router = createBrowserRouter(routes, { window: windowForRouter() });
  render(
    <ChakraProvider value={system}>
      <RouterProvider router={router} />
    </ChakraProvider>,
  );
};
const click = async (name: string) =>
  userEvent.click(await screen.findByRole(name === 'Page' || name === 'Other' ? 'link' : 'button', { name }));
const open = async () => {
  await click('Open');
  await screen.findByRole('dialog', { name: 'Sheet' });
  await hasEntry();
};
const hasEntry = (wanted = true) => waitFor(() => expect(history.state?.sheet === true).toBe(wanted));
const closed = (name = 'Sheet') => waitFor(() => expect(screen.queryByRole('dialog', { name })).toBeNull());
const at = (path: string) => waitFor(() => expect(router.state.location.pathname).toBe(path));

/** Each test has entries of its own: a page before, and the page. */
beforeEach(async () => {
  history.pushState(null, '', '/before');
  start();
  await click('Page');
  await at('/page');
});
afterEach(() => router.dispose());

it('Back closes an open sheet and stays on the page, and the next Back leaves the page.', async () => {
  await open();
  history.back();
  await closed();
  expect(router.state.location.pathname).toBe('/page');
  history.back();
  await at('/before');
});

it('A sheet that is closed by its button leaves no entry in the history.', async () => {
  await open();
  await click('Close');
  await closed();
  await hasEntry(false);
  history.back();
  await at('/before');
});

it('Of two open sheets Back closes the upper one, and the next Back the other.', async () => {
  await open();
  await click('Second');
  await screen.findByRole('dialog', { name: 'Second sheet' });
  history.back();
  await closed('Second sheet');
  await screen.findByRole('dialog', { name: 'Sheet' });
  await hasEntry();
  history.back();
  await closed();
  expect(router.state.location.pathname).toBe('/page');
});

it('A link in a sheet leads to another page, from which one Back returns.', async () => {
  await open();
  await click('Other');
  await screen.findByText('Other page');
  history.back();
  await at('/page');
  expect(screen.queryByRole('dialog')).toBeNull();
  history.back();
  await at('/before');
});

it('An address that a sheet replaces stays when the sheet is closed, in any way.', async () => {
  for (const close of [() => history.back(), () => click('Close')]) {
    await open();
    await click('Name');
    await screen.findByText('Page named');
    await close();
    await closed();
    await hasEntry(false);
    expect(location.search).toBe('?name=named');
    expect(router.state.location.search).toBe('?name=named');
  }
  history.back();
  await at('/before');
});

it('A sheet that goes a step back itself leads to the page before.', async () => {
  await open();
  await click('Leave');
  await at('/before');
});

it('Forward after a sheet was closed by Back changes nothing, and Back still leads to the page before.', async () => {
  await open();
  history.back();
  await closed();
  await hasEntry(false);
  const back = vi.spyOn(history, 'back');
  history.forward();
  await waitFor(() => expect(back).toHaveBeenCalled());
  back.mockRestore();
  await hasEntry(false);
  expect(screen.queryByRole('dialog')).toBeNull();
  history.back();
  await at('/before');
});

/** Loads the page again while a sheet is open: the entries stay, and no sheet. */
function loadAgain() {
  history.replaceState({ ...history.state, page: 1 }, '');
  history.pushState({ ...history.state, sheet: true }, '');
  router.dispose();
  cleanup();
  adopt();
  start();
}

it('A page that was loaded again with an open sheet is left by one Back.', async () => {
  loadAgain();
  await screen.findByText('Page');
  history.back();
  await at('/before');
});

it('A sheet that opens after the page was loaded again takes the entry that is there.', async () => {
  loadAgain();
  await open();
  expect(history.state.page).toBe(1);
  history.back();
  await closed();
  expect(router.state.location.pathname).toBe('/page');
  history.back();
  await at('/before');
});

it('A step back from the first page of a tab, which leads nowhere, does not end what Back does with sheets.', async () => {
  void router.navigate(-history.length);
  await open();
  history.back();
  await closed();
  expect(router.state.location.pathname).toBe('/page');
});
