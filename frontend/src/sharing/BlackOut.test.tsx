import { ChakraProvider } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { act, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useReducer } from 'react';
import { describe, expect, it } from 'vitest';
import { studyKey } from '../images/cache';
import { queryClient } from '../lib/query';
import { answer, renderScreen } from '../lib/testing';
import { system } from '../theme/system';
import { BlackOutStudy } from './BlackOutStudy';
import { BlackSurface } from './BlackSurface';
import { around, between, drawn, inMiddle, moved, nothing, onAll, resized } from './rectangles';

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

  it('is put on every frame of each image once, beside the rectangles that the image has', () => {
    const own = drawn(nothing, { type: 'add', rectangles: [moved(one, 5, 5, size)] });
    const put = onAll({ b: own }, [{ ...one, frame: 2 }], ['a', 'b']);
    const again = onAll(put, [one], ['a', 'b']);
    expect(again).toEqual(put);
    expect([put.a?.now, put.b?.now]).toEqual([[one], [moved(one, 5, 5, size), one]]);
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

  it('is drawn and moved by one finger; a second finger changes nothing, and a touch that moves nothing draws none', () => {
    render(<Surface />);
    const surface = screen.getByRole('group');
    // jsdom lays nothing out: two pixels of the screen are one of the picture.
    surface.getBoundingClientRect = () => new DOMRect(10, 20, 200, 100);
    const captured: number[] = [];
    surface.setPointerCapture = (id) => void captured.push(id);
    const finger = (on: Element, type: 'Down' | 'Move' | 'Up', x: number, y: number, isPrimary = true) =>
      fireEvent[`pointer${type}`](on, {
        pointerType: 'touch',
        pointerId: isPrimary ? 5 : 6,
        isPrimary,
        button: type === 'Move' ? -1 : 0,
        clientX: x,
        clientY: y,
      });
    const names = () => screen.queryAllByLabelText(/^Black rectangle/).map((one) => one.getAttribute('aria-label'));

    finger(surface, 'Down', 30, 40);
    finger(surface, 'Move', 32, 41);
    finger(surface, 'Up', 32, 41);
    finger(surface, 'Down', 30, 40, false);
    finger(surface, 'Move', 130, 90, false);
    finger(surface, 'Up', 130, 90, false);
    expect(names()).toEqual([]);

    finger(surface, 'Down', 30, 40);
    finger(surface, 'Move', 50, 50);
    finger(surface, 'Down', 150, 90, false);
    finger(surface, 'Move', 190, 110, false);
    finger(surface, 'Up', 190, 110, false);
    finger(surface, 'Move', 70, 60);
    finger(surface, 'Up', 70, 60);
    expect(names()).toEqual(['Black rectangle 1: 20 × 10 pixels, 10 from the left, 10 from the top']);

    const one = screen.getByLabelText(/^Black rectangle/);
    finger(one, 'Down', 40, 45);
    finger(surface, 'Move', 60, 45);
    finger(surface, 'Up', 60, 45);
    expect(names()).toEqual(['Black rectangle 1: 20 × 10 pixels, 20 from the left, 10 from the top']);
    expect(captured).toEqual([5, 5, 5]);
  });
});

it('The rectangles on a study stay when another image of it arrives, and the dialog says that it is not among them.', async () => {
  const id = 'e'.repeat(24);
  const ids = ['1', '2', '3'].map((digit) => digit.repeat(24));
  const studyOf = (images: string[]) => ({ id, title: '', kind: 'pictures', series: [{ images }] });
  const facts = { kind: 'picture', rows: 50, columns: 100, frames: 1 };
  answer({
    [`GET /studies/${id}`]: () => ({ body: { data: studyOf(ids.slice(0, 2)) } }),
    [`GET /studies/${id}/frames`]: () => ({
      body: { data: Object.fromEntries(ids.slice(0, 2).map((one) => [one, facts])) },
    }),
  });
  renderScreen(<BlackOutStudy studyId={id} onMade={() => undefined} onCancel={() => undefined} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Add a rectangle' }));
  const make = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Make 2 copies' });
  expect(make().disabled).toBe(false);
  await act(async () => queryClient.setQueryData(studyKey(id), studyOf(ids)));
  await screen.findByText(/^1 image came to the study after you began/);
  expect(make().disabled).toBe(false);
});
