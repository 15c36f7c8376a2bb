import { ChakraProvider } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useReducer } from 'react';
import { describe, expect, it } from 'vitest';
import { system } from '../theme/system';
import { BlackSurface } from './BlackSurface';
import { around, between, drawn, inMiddle, moved, nothing, resized } from './rectangles';

const size = { columns: 100, rows: 50 };
const one = { x0: 10, y0: 10, x1: 20, y1: 20 };

function Surface() {
  const [drawing, act] = useReducer(drawn, nothing);
  return (
    <ChakraProvider value={system}>
      <button type="button" onClick={() => act({ type: 'add', rectangles: [inMiddle(size)] })}>
        Add
      </button>
      <BlackSurface size={size} frame={1} drawing={drawing} act={act}>
        <img alt="" />
      </BlackSurface>
    </ChakraProvider>
  );
}

describe('a black rectangle', () => {
  it('lies inside of the picture and has an area, wherever it is drawn, moved and sized', () => {
    expect(between([120, -5], [40.4, 9.6], size)).toEqual({ x0: 40, y0: 0, x1: 100, y1: 10 });
    expect(between([99.9, 50], [99.9, 50], size)).toEqual({ x0: 99, y0: 49, x1: 100, y1: 50 });
    expect(moved({ ...one, frame: 2 }, 500, -500, size)).toEqual({ x0: 90, y0: 0, x1: 100, y1: 10, frame: 2 });
    expect(resized(one, 'x0 y0', 30, 5, size)).toEqual({ x0: 20, y0: 15, x1: 40, y1: 20 });
    expect(around({ x0: 0, y0: 2, x1: 10, y1: 10 }, size)).toEqual({ x0: 0, y0: 0, x1: 12, y1: 12 });
  });

  it('is taken back step by step: one movement is one step', () => {
    const steps = [
      { type: 'add', rectangles: [one] },
      { type: 'change', to: moved(one, 1, 0, size) },
      { type: 'change', to: moved(one, 9, 0, size), live: true },
      { type: 'remove' },
    ] as const;
    let state = steps.reduce(drawn, nothing);
    expect(state.now).toEqual([]);
    const seen = [1, 2, 3].map(() => {
      state = drawn(state, { type: 'undo' });
      return state.now[0]?.x0;
    });
    expect(seen).toEqual([19, 10, undefined]);
    expect(drawn(nothing, { type: 'undo' })).toBe(nothing);
    const many = Array.from({ length: limits.blackRectangles + 1 }, () => one);
    expect(drawn(nothing, { type: 'add', rectangles: many }).now).toHaveLength(limits.blackRectangles);
  });

  it('is added, moved, sized and removed with keys, and a screen reader is told its place', async () => {
    render(<Surface />);
    const keys = userEvent.setup();
    await keys.click(screen.getByText('Add'));
    const name = () => document.activeElement?.getAttribute('aria-label');
    expect(name()).toBe('Black rectangle 1: 20 × 5 pixels, 40 from the left, 23 from the top');
    await keys.keyboard('{ArrowRight}{ArrowUp}{Control>}{ArrowLeft}{/Control}{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
    expect(name()).toBe('Black rectangle 1: 20 × 7 pixels, 41 from the left, 22 from the top');
    await keys.keyboard('{Delete}');
    expect(screen.queryByLabelText(/Black rectangle/)).toBeNull();
  });
});
