import { Dialog } from '@chakra-ui/react';
import { KeyIcon } from '@phosphor-icons/react';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useState } from 'react';
import { expect, it, vi } from 'vitest';
import { opened, renderScreen } from '../lib/testing';
import { ConfirmDialog } from './ConfirmDialog';
import { Modal } from './Modal';

const noop = () => {};

function Codes() {
  const [step, setStep] = useState(0);
  const next = () => setStep(step + 1);
  const first = (
    <ConfirmDialog open Icon={KeyIcon} title="Sure?" act="Yes" onClose={noop} onConfirm={next}>
      New codes replace the old ones.
    </ConfirmDialog>
  );
  const button = (name: string) => (
    <section>
      <button type="button" onClick={next}>
        {name}
      </button>
    </section>
  );
  return (
    <main>
      <button type="button" onClick={next}>
        Renew
      </button>
      {step === 1 && first}
      {step > 1 && (
        <Modal open onClose={() => setStep(0)} title="Codes" closeOnInteractOutside={false}>
          <Dialog.Body>{step === 2 ? button('Next') : <ul>{button('Saved')}</ul>}</Dialog.Body>
        </Modal>
      )}
    </main>
  );
}

const hasFocus = (dialog: HTMLElement) => waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));

it('A dialog that opens right after another has the focus, and keeps it when its content changes.', async () => {
  renderScreen(<Codes />);
  await userEvent.click(await screen.findByText('Renew'));
  await userEvent.click(within(await opened('alertdialog')).getByText('Yes'));
  const dialog = await opened('dialog', 'Codes');
  // The closed dialog returns the focus to its opener a moment later.
  screen.getByText('Renew').focus();
  await hasFocus(dialog);
  await userEvent.click(within(dialog).getByText('Next'));
  await within(dialog).findByText('Saved');
  await hasFocus(dialog);
});

function Sections() {
  const [rows, setRows] = useState(['One', 'Two']);
  const [adding, setAdding] = useState(false);
  return (
    <Modal open onClose={noop} title="Share" initialFocus={(content) => content?.querySelector('input') ?? null}>
      <Dialog.Body>
        <input aria-label="Search" />
        <section>
          <h3>Access</h3>
          {rows.map((row) => (
            <button key={row} type="button" onClick={() => setRows((all) => all.filter((one) => one !== row))}>
              {row}
            </button>
          ))}
        </section>
        <section>
          <h3>Links</h3>
          {adding ? (
            <p>New link</p>
          ) : (
            <button type="button" onClick={() => setAdding(true)}>
              Add
            </button>
          )}
        </section>
      </Dialog.Body>
    </Modal>
  );
}

it('When the focused control of a dialog is removed, the heading of its section has the focus, and not the first field.', async () => {
  renderScreen(<Sections />);
  const dialog = await opened();
  // The dialog holds the focus from its third frame on.
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  for (const [press, heading] of [
    ['Add', 'Links'],
    ['One', 'Access'],
    ['Two', 'Access'],
  ] as const) {
    await userEvent.click(within(dialog).getByRole('button', { name: press }));
    await waitFor(() => expect(document.activeElement).toBe(within(dialog).getByRole('heading', { name: heading })));
  }
});

/** Draws another line as soon as it is there, like a form whose data has just arrived. */
function Grows() {
  const [isGrown, grow] = useState(false);
  useEffect(() => grow(true), []);
  return (
    <>
      <input aria-label="City" />
      {isGrown && <p>More</p>}
    </>
  );
}

it('A field that has the focus at opening, but lies below the visible part of a low dialog, is scrolled into view.', async () => {
  const frames: FrameRequestCallback[] = [];
  const held = vi.spyOn(globalThis, 'requestAnimationFrame').mockImplementation((frame) => frames.push(frame));
  const boxes = vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return new DOMRect(0, 0, 100, this.tagName === 'INPUT' ? 500 : 300);
  });
  renderScreen(
    <Modal open onClose={noop} title="Code" scrollBehavior="inside">
      <Dialog.Body>
        <input aria-label="Code" />
      </Dialog.Body>
    </Modal>,
  );
  const field = await screen.findByRole('textbox');
  field.focus();
  held.mockRestore();
  for (const frame of frames) frame(0);
  await waitFor(() => expect(field.parentElement?.scrollTop).toBe(216));
  boxes.mockRestore();
});

it('A dialog takes no focus before its first frame, which would move it again, away from a field in use.', async () => {
  const frames: FrameRequestCallback[] = [];
  const held = vi.spyOn(globalThis, 'requestAnimationFrame').mockImplementation((frame) => frames.push(frame));
  renderScreen(
    <Modal open onClose={noop} title="Address">
      <Dialog.Body>
        <Grows />
      </Dialog.Body>
    </Modal>,
  );
  const dialog = await screen.findByRole('dialog');
  await within(dialog).findByText('More');
  expect(dialog.contains(document.activeElement)).toBe(false);
  held.mockRestore();
  for (const frame of frames) frame(0);
  expect(await opened()).toBe(dialog);
});

it.each([
  ['closes a dialog that only shows something', <p key="shown">Shown</p>, 2],
  ['does not close a dialog with a form, so that nothing typed is lost', <form key="form" aria-label="Typed" />, 1],
])('A press beside the dialog %s.', async (_, content, times) => {
  const closed = vi.fn();
  renderScreen(
    <>
      <p>Beside</p>
      <Modal open onClose={closed} title="Share">
        <Dialog.Body>{content}</Dialog.Body>
      </Modal>
    </>,
  );
  await opened();
  await userEvent.click(screen.getByText('Beside'), { pointerEventsCheck: 0 });
  // The library acts on a press in the next frame.
  await new Promise(requestAnimationFrame);
  expect(closed).toHaveBeenCalledTimes(times - 1);
  // Escape closes each of them.
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(closed).toHaveBeenCalledTimes(times));
});
