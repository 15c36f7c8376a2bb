import { Dialog } from '@chakra-ui/react';
import { KeyIcon } from '@phosphor-icons/react';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
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

const hasFocus = (dialog: HTMLElement) =>
  waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true), { timeout: 2000 });

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
