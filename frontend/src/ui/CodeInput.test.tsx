import { LocaleProvider } from '@chakra-ui/react';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type FormEvent, useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { Theme } from '../theme/Theme';
import { CodeInput } from './CodeInput';

function Shown({ error }: { error?: string }) {
  const [code, setCode] = useState('');
  return (
    <Theme>
      <CodeInput value={code} onChange={setCode} error={error} help="Valid for long" />
      <output>{code}</output>
    </Theme>
  );
}

const boxes = () => screen.getAllByRole('textbox');

describe('the code boxes', () => {
  test('The code field has six boxes, each with its own name, and accepts one-time codes by autofill.', () => {
    render(<Shown />);
    expect(boxes()).toHaveLength(6);
    expect(screen.getByRole('textbox', { name: 'Digit 3 of 6' })).toBe(boxes()[2]);
    expect(boxes()[0]?.getAttribute('autocomplete')).toBe('one-time-code');
    expect(screen.getByRole('group', { name: '6-digit code' }).getAttribute('dir')).toBe('ltr');
  });

  test('A digit moves the focus to the next box, a letter is ignored, and backspace moves it back.', async () => {
    const user = userEvent.setup();
    render(<Shown />);
    await user.click(boxes()[0] as HTMLElement);
    await user.keyboard('1a2');
    expect(screen.getByRole('status').textContent).toBe('12');
    await waitFor(() => expect(document.activeElement).toBe(boxes()[2]));
    await user.keyboard('{Backspace}{Backspace}');
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe(''));
  });

  test('A pasted code fills all boxes.', async () => {
    const user = userEvent.setup();
    render(<Shown />);
    await user.click(boxes()[0] as HTMLElement);
    await user.paste('407312');
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe('407312'));
    expect(
      boxes()
        .map((box) => (box as HTMLInputElement).value)
        .join(''),
    ).toBe('407312');
  });

  test.each(['407312 ', '407 312', 'Code: 407312', '407-312\n', '۴۰۷۳۱۲'])(
    'The pasted text %j fills all boxes, from any box.',
    async (copied) => {
      const user = userEvent.setup();
      render(<Shown />);
      await user.click(boxes()[2] as HTMLElement);
      await user.paste(copied);
      await waitFor(() => expect(screen.getByRole('status').textContent).toBe('407312'));
      expect(document.activeElement).toBe(boxes()[5]);
    },
  );

  test('Digits of an Urdu keyboard are typed like others.', async () => {
    const user = userEvent.setup();
    render(<Shown />);
    await user.click(boxes()[0] as HTMLElement);
    await user.keyboard('۴۰7');
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe('407'));
    expect(document.activeElement).toBe(boxes()[3]);
  });

  test('Enter submits the form, and the arrow keys move from left to right also in Urdu.', async () => {
    const user = userEvent.setup();
    const sent = vi.fn((event: FormEvent) => event.preventDefault());
    render(
      <LocaleProvider locale="ur-PK">
        <form onSubmit={sent}>
          <Shown />
        </form>
      </LocaleProvider>,
    );
    await user.click(boxes()[0] as HTMLElement);
    await user.keyboard('12{ArrowLeft}');
    await waitFor(() => expect(document.activeElement).toBe(boxes()[1]));
    await user.keyboard('{Enter}');
    expect(sent).toHaveBeenCalledTimes(1);
  });

  test('Enter sends the form once: not while its button is disabled, and not again while the key is held down.', async () => {
    const user = userEvent.setup();
    const sent = vi.fn((event: FormEvent) => event.preventDefault());
    const form = (pending: boolean) => (
      <form onSubmit={sent}>
        <Shown />
        <button type="submit" disabled={pending}>
          Send
        </button>
      </form>
    );
    const { rerender } = render(form(true));
    await user.click(boxes()[0] as HTMLElement);
    await user.keyboard('{Enter}');
    expect(sent).not.toHaveBeenCalled();
    rerender(form(false));
    await user.keyboard('{Enter}');
    fireEvent.keyDown(boxes()[0] as HTMLElement, { key: 'Enter', repeat: true });
    expect(sent).toHaveBeenCalledTimes(1);
  });

  test('A wrong code shows an error, marks every box as invalid and moves the focus to the first box.', async () => {
    const { rerender } = render(<Shown />);
    rerender(<Shown error="That code didn’t match. 4 tries left." />);
    expect(screen.getByRole('alert').textContent).toBe('That code didn’t match. 4 tries left.');
    await waitFor(() => expect(document.activeElement).toBe(boxes()[0]));
    for (const box of boxes()) expect(box.getAttribute('aria-invalid')).toBe('true');
  });
});
