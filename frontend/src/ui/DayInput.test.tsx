import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { renderScreen } from '../lib/testing';
import { DayInput } from './DayInput';

function Filter({ onPick }: { onPick: (day: string) => void }) {
  const [day, setDay] = useState('2026-11-03');
  return (
    <DayInput
      aria-label="From"
      day={day}
      onPick={(next) => {
        onPick(next);
        setDay(next);
      }}
    />
  );
}

/** A filter whose day is set back from outside, as Back does. */
function Returning() {
  const [day, setDay] = useState('2026-11-03');
  return (
    <>
      <DayInput aria-label="From" day={day} onPick={setDay} />
      <button type="button" onClick={() => setDay('2026-11-03')}>
        Back
      </button>
    </>
  );
}

it('A day is taken when its year has four digits, and a field that is left half shows the day of the list.', async () => {
  const picked = vi.fn();
  renderScreen(<Filter onPick={picked} />);
  const field = await screen.findByLabelText<HTMLInputElement>('From');
  const report = (value: string) => fireEvent.change(field, { target: { value } });
  for (const value of ['0002-11-03', '0020-11-03', '0202-11-03']) {
    report(value);
    expect(field.value).toBe(value);
  }
  expect(picked).not.toHaveBeenCalled();
  report('2025-11-03');
  expect(picked.mock.calls).toEqual([['2025-11-03']]);
  report('0002-11-03');
  fireEvent.blur(field);
  expect(field.value).toBe('2025-11-03');
  report('');
  expect(picked).toHaveBeenLastCalledWith('');
  expect(field.value).toBe('');
});

it('A day that comes from outside is shown, also while the field has the focus.', async () => {
  renderScreen(<Returning />);
  const field = await screen.findByLabelText<HTMLInputElement>('From');
  fireEvent.change(field, { target: { value: '2025-11-03' } });
  expect(field.value).toBe('2025-11-03');
  fireEvent.click(screen.getByText('Back'));
  expect(field.value).toBe('2026-11-03');
});
