import { ChakraProvider } from '@chakra-ui/react';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { system } from '../theme/system';
import { MonthScroller } from './MonthScroller';

/** From December 2026 back to January 2025. */
const months = Array.from({ length: 24 }, (_, i) => ({ at: new Date(2026, 11 - i, 15).toISOString() }));
const onJump = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  render(
    <ChakraProvider value={system}>
      <MonthScroller months={months} current={0} label="Months" onJump={onJump} />
    </ChakraProvider>,
  );
});
afterEach(() => {
  vi.useRealTimers();
  onJump.mockReset();
});

const slider = () => screen.getByRole('slider', { name: 'Months' });
const shown = () => slider().getAttribute('aria-valuetext');
const rest = () => act(() => vi.runAllTimers());

it.each([
  [['ArrowDown'], 'November 2026', 1],
  [['ArrowUp'], 'December 2026', 0],
  [['PageDown'], 'December 2025', 12],
  [['PageDown', 'PageUp'], 'January 2026', 11],
  [['End'], 'January 2025', 23],
  [['End', 'Home'], 'December 2026', 0],
] as const)('The keys %s name %s at once, and the list moves there once, after a rest.', (keys, month, index) => {
  for (const key of keys) fireEvent.keyDown(slider(), { key });
  expect(shown()).toBe(month);
  expect(onJump).not.toHaveBeenCalled();
  rest();
  expect(onJump.mock.calls).toEqual([[index]]);
});

it('A drag names the month below the finger, and the list moves when the finger is lifted.', () => {
  slider().setPointerCapture = () => undefined;
  slider().getBoundingClientRect = () => ({ top: 100, height: 240 }) as DOMRect;
  fireEvent.pointerDown(slider(), { clientY: 105, pointerId: 1 });
  fireEvent.pointerMove(slider(), { clientY: 225 });
  expect(shown()).toBe('December 2025');
  rest();
  expect(onJump).not.toHaveBeenCalled();
  fireEvent.pointerMove(slider(), { clientY: 900 });
  fireEvent.pointerUp(slider());
  rest();
  expect(onJump.mock.calls).toEqual([[23]]);
});

it('A drag that the browser takes over for scrolling moves nothing.', () => {
  slider().setPointerCapture = () => undefined;
  slider().getBoundingClientRect = () => ({ top: 0, height: 240 }) as DOMRect;
  fireEvent.pointerDown(slider(), { clientY: 100, pointerId: 1 });
  fireEvent.pointerCancel(slider());
  rest();
  expect(onJump).not.toHaveBeenCalled();
  expect(shown()).toBe('December 2026');
});
