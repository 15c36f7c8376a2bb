import {
  angleOf,
  areaOf,
  factsOfFrame,
  lengthOf,
  scaleAt,
  valueUnit,
} from '@lightbox/contract/annotations/measuring.js';
import { pixelsUnder, statisticsIn } from '@lightbox/contract/annotations/statistics.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { rangeOf, windowOf } from '@lightbox/contract/images/voi.js';
import type { Study } from '@lightbox/contract/studies/schemas.js';
import { QueryObserver } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { paths } from '../lib/paths';
import { queryClient } from '../lib/query';
import { answer } from '../lib/testing';
import { frameIdOf, frameOf } from './engine/frameId';
import { moduleOf } from './engine/modules';
import {
  checkDecoded,
  checkLength,
  checkSize,
  DamagedFrame,
  extentWithoutPadding,
  throughTable,
  throughTables,
} from './engine/pixels';
import { entriesOf, entryOfImage } from './entries';
import { studyFacts } from './frames';
import { acts, commandOf, keysOfAct, keysOfTool, tools, usesKey } from './keys';
import { partnerOf } from './linking';
import { bitsFor } from './Overlays';
import { edgesOf, letterOf, planeOf } from './orientation';
import { pagesWith } from './pdfText';
import { placeIn } from './place';
import { Pointing } from './pointing';
import { chosenIn, hasHU, presetsOf } from './presets';
import { nothingShown, sharedTurn } from './shown';
import { afterKey } from './useCrosshair';
import { centerLimits, dragged, extentOfWindow, stepBetween, tidyWindow, widthLimits, windowValue } from './window';
import { wrapped } from './wrapped';

const facts = (more: Partial<FrameFacts> = {}): FrameFacts => ({
  kind: 'dicom',
  frames: 1,
  rows: 4,
  columns: 6,
  modality: 'CT',
  windows: [{ center: 40, width: 400 }],
  previewFrame: 1,
  ...more,
});

describe('the loader', () => {
  it.each([
    ['a picture of 0 × 0', { width: 0, height: 0, components: 1, length: 0 }],
    ['too few values', { width: 6, height: 4, components: 1, length: 23 }],
    ['rows and columns exchanged', { width: 4, height: 6, components: 1, length: 24 }],
    ['one component of three', { width: 6, height: 4, components: 3, length: 24 }],
  ])('A decoded frame with %s is damaged.', (_, decoded) => {
    expect(() => checkDecoded(decoded, facts())).toThrow(DamagedFrame);
  });

  it('A whole frame passes, in grey and in colour.', () => {
    checkDecoded({ width: 6, height: 4, components: 1, length: 24 }, facts());
    checkDecoded({ width: 6, height: 4, components: 4, length: 96 }, facts());
    checkLength(48, facts({ bitsAllocated: 16 }));
    expect(() => checkLength(47, facts({ bitsAllocated: 16 }))).toThrow(DamagedFrame);
  });

  it('A frame without a size, or with more pixels than a browser can draw, is refused before it is decoded.', () => {
    expect(() => checkSize({ rows: 0, columns: 5 })).toThrow(DamagedFrame);
    expect(() => checkSize({ rows: 20_000, columns: 20_000 })).toThrow(DamagedFrame);
    checkSize({ rows: 3_000, columns: 4_000 });
  });

  it('Values outside of a look-up table get its first or last entry.', () => {
    const table = { first: 10, bits: 16, entries: btoa('\x01\x00\x02\x00\x00\x01') };
    expect([...throughTable([5, 10, 11, 12, 99], table)]).toEqual([1, 1, 2, 256, 256]);
  });

  it('A VOI LUT takes the values behind the rescale of the file, or behind its modality LUT.', () => {
    const voi = { first: -2, bits: 8, entries: btoa('\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00') };
    const ofFile = { windows: [], voiLuts: [voi], rescaleSlope: 0.5, rescaleIntercept: -10 };
    expect(Array.from(throughTables([16, 18, 20, 22, 24], ofFile))).toEqual([1, 2, 3, 4, 5]);
    const modalityLut = { first: 7, bits: 8, entries: btoa('\x02\x00\x00\x00') };
    expect(Array.from(throughTables([7, 8], { windows: [], voiLuts: [voi], modalityLut }))).toEqual([5, 3]);
    // A window takes the place of the VOI LUT.
    const window = [{ center: 1, width: 2 }];
    expect(Array.from(throughTables([7, 8], { windows: window, voiLuts: [voi], modalityLut }))).toEqual([2, 0]);
  });

  it('The window that fits a picture leaves its padding out.', () => {
    const range = (padding: Partial<FrameFacts>, scaled = false) =>
      extentWithoutPadding([-2000, -1990, 0, 200], padding, scaled);
    expect(range({})).toBeUndefined();
    expect(range({ pixelPaddingValue: -2000 })).toEqual({ lower: -1990, upper: 200 });
    const both = { pixelPaddingValue: -1990, pixelPaddingRangeLimit: -2000 };
    expect(range({ ...both, rescaleSlope: -1, rescaleIntercept: 5 })).toEqual({ lower: -195, upper: 5 });
    expect(range({ pixelPaddingValue: 0, rescaleIntercept: -2000 }, true)).toEqual({ lower: -1990, upper: 200 });
    expect(range({ pixelPaddingValue: -2000, pixelPaddingRangeLimit: 200 })).toBeUndefined();
  });

  it('The name of a frame leads back to its image and number.', () => {
    expect(frameOf(frameIdOf({ id: 'abc', n: 12 }))).toEqual({ id: 'abc', n: 12 });
  });
});

describe('the metadata of a frame', () => {
  const module = (name: string, more: Partial<FrameFacts> = {}, n = 1, inColour = false) =>
    moduleOf(name, facts(more), n, 'abc', inColour) as Record<string, unknown>;

  it('A file without a modality is OT, because the library waits for ever without one.', () => {
    expect(module('generalSeriesModule', { modality: '' }).modality).toBe('OT');
  });

  it('A file without spacing is drawn with square pixels of 1.', () => {
    expect(module('imagePlaneModule')).toMatchObject({ rowPixelSpacing: 1, usingDefaultValues: true });
    expect(module('imagePlaneModule', { pixelSpacing: [0.5, 0.25] })).toMatchObject({
      rowPixelSpacing: 0.5,
      columnPixelSpacing: 0.25,
      usingDefaultValues: false,
    });
  });

  it('A file without spacing is drawn by the shape of its pixels, which are no millimetres.', () => {
    const drawn = { rowPixelSpacing: 4, columnPixelSpacing: 3, usingDefaultValues: true };
    expect(module('imagePlaneModule', { pixelAspectRatio: [4, 3] })).toMatchObject(drawn);
    const spaced = { pixelAspectRatio: [4, 3] as [number, number], pixelSpacing: [0.5, 0.5] as [number, number] };
    expect(module('imagePlaneModule', spaced)).toMatchObject({ rowPixelSpacing: 0.5, columnPixelSpacing: 0.5 });
  });

  it('A frame of an enhanced file has its own place, window and rescale.', () => {
    const perFrame = [{}, { position: [0, 0, 3] as [number, number, number], rescaleIntercept: -5 }];
    const file = { frames: 2, perFrame, rescaleIntercept: -1024 };
    expect(module('imagePlaneModule', file, 2).imagePositionPatient).toEqual([0, 0, 3]);
    expect(module('modalityLutModule', file, 2)).toEqual({ rescaleSlope: 1, rescaleIntercept: -5 });
    expect(module('modalityLutModule', file, 1).rescaleIntercept).toBe(-1024);
    expect(factsOfFrame(facts(file), 2).windows).toEqual(facts().windows);
  });

  it('A window narrower than 1 reaches the library, and as the exact function, for which it has an extent there.', () => {
    const windows = [{ center: 0.5, width: 0.25 }];
    for (const voiFunction of ['LINEAR_EXACT', 'SIGMOID'] as const) {
      const { windowCenter, windowWidth, voiLUTFunction } = module('voiLutModule', { windows, voiFunction });
      expect([windowCenter, windowWidth, voiLUTFunction]).toEqual([[0.5], [0.25], 'LINEAR_EXACT']);
    }
    expect(module('voiLutModule').voiLUTFunction).toBe('LINEAR');
  });

  it('Pixels that the browser or the server drew are RGB, without window and rescale.', () => {
    const file = { bitsAllocated: 16, rescaleIntercept: -1024 };
    expect(module('imagePixelModule', file, 1, true)).toMatchObject({ samplesPerPixel: 3, bitsAllocated: 8 });
    expect(module('voiLutModule', file, 1, true)).toEqual({});
    expect(module('modalityLutModule', file, 1, true)).toEqual({});
  });
});

describe('measuring', () => {
  it('Lengths are in pixels without spacing, in millimetres with it, and the detector is named.', () => {
    expect(lengthOf({}, [0, 0], [3, 4])).toMatchObject({ value: 5, scale: { unit: 'px', atDetector: false } });
    expect(lengthOf({ pixelSpacing: [0.5, 0.25] }, [0, 0], [50, 0]).value).toBe(12.5);
    expect(scaleAt({ pixelSpacing: [0.1, 0.1], spacingAt: 'detector' }, [])).toMatchObject({
      unit: 'mm',
      atDetector: true,
    });
  });

  it('Ultrasound is measured by its regions, and in pixels across them.', () => {
    const regions = [{ x0: 0, y0: 0, x1: 99, y1: 99, deltaX: 0.2, deltaY: 0.1 }];
    const us = { regions, pixelSpacing: [9, 9] as [number, number] };
    expect(lengthOf(us, [10, 10], [20, 10])).toMatchObject({ value: 2, scale: { unit: 'mm' } });
    expect(lengthOf(us, [10, 10], [10, 20]).value).toBe(1);
    expect(lengthOf(us, [90, 10], [110, 10])).toMatchObject({ value: 20, scale: { unit: 'px' } });
  });

  it('Angles and areas take pixels that are not square into account.', () => {
    expect(
      angleOf({}, [
        [0, 1],
        [0, 0],
        [1, 0],
      ]),
    ).toBeCloseTo(90);
    expect(
      angleOf({ pixelSpacing: [2, 1] }, [
        [2, 1],
        [0, 0],
        [1, 0],
      ]),
    ).toBeCloseTo(45);
    const tall = { pixelAspectRatio: [2, 1] as [number, number] };
    expect(
      angleOf(tall, [
        [2, 1],
        [0, 0],
        [1, 0],
      ]),
    ).toBeCloseTo(45);
    // The shape of a pixel says nothing about its size.
    expect(lengthOf(tall, [0, 0], [3, 4])).toMatchObject({ value: 5, scale: { unit: 'px' } });
    const { value } = areaOf({ pixelSpacing: [0.5, 0.5] }, [
      [0, -10],
      [0, 10],
      [-10, 0],
      [10, 0],
    ]);
    expect(value).toBeCloseTo(Math.PI * 25);
  });

  it('Only values that are HU have that unit.', () => {
    expect(valueUnit(facts())).toBe('HU');
    expect(valueUnit(facts({ rescaleType: 'US' }))).toBe('');
    expect(valueUnit(facts({ modality: 'MR' }))).toBe('');
    expect(valueUnit(facts({ modality: 'MR', rescaleType: 'HU' }))).toBe('HU');
  });

  it('An ellipse counts the pixels whose middle lies in it.', () => {
    const image = {
      rows: 5,
      columns: 5,
      getPixelData: () => Array.from({ length: 25 }, (_, i) => (i === 12 ? 10 : 4)),
    };
    const found = statisticsIn(image, [
      [2, 3.2],
      [2, 0.8],
      [0.8, 2],
      [3.2, 2],
    ]);
    expect(found).toMatchObject({ pixels: 5, mean: 5.2 });
    expect(found?.deviation).toBeCloseTo(2.4);
    const probe = (x: number) => ({ kind: 'probe' as const, points: [[x, 2] as const] });
    expect(pixelsUnder(image, probe(2.4))).toEqual({ mean: 10 });
    expect(pixelsUnder(image, probe(5))).toBeUndefined();
    expect(
      statisticsIn(image, [
        [2, 2],
        [2, 2],
        [2, 2],
        [2, 2],
      ]),
    ).toBeUndefined();
  });
});

describe('places and planes', () => {
  it('The edges of an axial slice are anterior, posterior, right and left.', () => {
    expect(edgesOf([1, 0, 0], [0, 1, 0])).toEqual({ right: 'L', left: 'R', bottom: 'P', top: 'A' });
    expect(letterOf([0.7, 0.7, 0])).toHaveLength(2);
    expect(planeOf([0, -1, 0])).toBe('coronal');
    expect(planeOf([0.1, 0.2, 0.9])).toBe('axial');
  });

  it('The frame of an overlay is found by its origin.', () => {
    const overlay = { rows: 2, columns: 4, originRow: 1, originColumn: 1, bits: '' };
    expect(bitsFor(overlay, 7)).toBe(0);
    expect(bitsFor({ ...overlay, frameOrigin: 3, frames: 2 }, 4)).toBe(8);
    expect(bitsFor({ ...overlay, frameOrigin: 3, frames: 2 }, 5)).toBeUndefined();
  });

  const slice = (z: number, more: Partial<FrameFacts> = {}) =>
    facts({ position: [0, 0, z], orientation: [1, 0, 0, 0, 1, 0], frameOfReference: 'room', ...more });

  it('Linked stacks meet at the nearest slice of one room, otherwise they keep their distance.', () => {
    const files = new Map([
      ['a', slice(10)],
      ['b', slice(0)],
      ['c', slice(9)],
      ['d', slice(30)],
      ['e', slice(9, { frameOfReference: 'other' })],
    ]);
    const of = (id: string) => files.get(id);
    const ids = (...names: string[]) => names.map((id) => frameIdOf({ id, n: 1 }));
    const [here = ''] = ids('a');
    expect(partnerOf(here, ids('b', 'c', 'd'), of, 2)).toBe(1);
    expect(partnerOf(here, ids('c', 'c', 'c'), of, 2)).toBe(2);
    expect(partnerOf(here, ids('b', 'e'), of, 0)).toBe(0);
    expect(partnerOf(here, ids('b', 'e'), of, 5)).toBeUndefined();
  });
});

describe('the content of a pane', () => {
  it('Slices of a series are one stack; films, documents and files without pixels stand alone.', () => {
    const images = [
      { id: 'a', facts: facts() },
      { id: 'film', facts: facts({ frames: 3 }) },
      { id: 'b', facts: facts() },
      { id: 'paper', facts: facts({ kind: 'pdf', frames: 2 }) },
      { id: 'odd', facts: facts({ kind: 'none', frames: 0 }) },
    ];
    const entries = entriesOf({ id: 's', description: 'Portal', images }, 'Series 1');
    expect(entries.map(({ key, kind, frameIds }) => [key, kind, frameIds.length])).toEqual([
      ['a', 'stack', 2],
      ['film', 'stack', 3],
      ['paper', 'pdf', 0],
      ['odd', 'none', 0],
    ]);
    expect(entryOfImage({ id: 'x', facts: facts({ frames: 0 }) }, '').kind).toBe('none');
  });

  it('Values in HU have the usual windows of a CT, others those that change their own.', () => {
    const sent = { center: 100, width: 200 };
    const byName = (more: Partial<FrameFacts>) =>
      Object.fromEntries(
        presetsOf(hasHU(facts(more)), sent, { lower: 0, upper: 999 }, 'LINEAR').map((one) => [one.name, one]),
      );
    expect(byName({ modality: 'CT' })).toMatchObject({
      lung: { center: -600, width: 1500, key: '2' },
      asSent: { ...sent, key: '0' },
    });
    const own = { soft: { center: 100, width: 300 }, full: { center: 500, width: 1000 } };
    expect(byName({ modality: 'MR' })).toMatchObject(own);
    expect(byName({ modality: 'CT', rescaleType: 'US' })).toMatchObject(own);
  });

  it.each(['LINEAR', 'LINEAR_EXACT', 'SIGMOID'] as const)(
    'Small values have windows of their own size, by the function %s.',
    (by) => {
      const range = { lower: 0, upper: 0.003 };
      const sent = windowOf(range, by);
      const presets = presetsOf(false, sent, range, by);
      const extents = presets.map((one) => extentOfWindow(one, by));
      const expected = [0.0045, 0.0018, 0.003, 0.003, 0.003, 0.003];
      expect(extents).toEqual(expected.map((extent) => expect.closeTo(extent, 9)));
      const chosen = presets.map((one) => {
        const shown = { ...nothingShown, ...tidyWindow(one, by), sent, range, voiFunction: by };
        expect([windowValue(shown.width, shown), windowValue(shown.center, shown)]).toEqual([
          shown.width,
          shown.center,
        ]);
        return chosenIn(shown, false)?.name;
      });
      // The whole range of this picture is the window that it was sent with.
      expect(chosen).toEqual(['soft', 'hard', 'bright', 'dark', 'asSent', 'asSent']);
    },
  );

  it('The narrowest window that a person can set is told as it was set, not with the extent that the drawing needs.', () => {
    const drawn = windowOf(rangeOf({ center: 40, width: 1 }, 'LINEAR'), 'LINEAR');
    expect(drawn.width).toBeGreaterThan(1);
    expect(tidyWindow(drawn, 'LINEAR')).toEqual({ center: 40, width: 1 });
  });

  it('A text is found on its pages without regard to case and line breaks.', () => {
    expect(pagesWith(['No fracture\nis seen.', 'Heart normal.'], 'fracture IS')).toEqual([1]);
    expect(pagesWith(['x'], '  ')).toEqual([]);
  });
});

describe('keys', () => {
  const press = (key: string, more = {}) =>
    commandOf({ key, code: '', ctrlKey: false, metaKey: false, altKey: false, ...more });

  it('The keys are those of OHIF, in capitals too, and those with Ctrl belong to the browser.', () => {
    expect(press('z')).toEqual({ tool: 'zoom' });
    expect(press('R')).toEqual({ act: 'rotate' });
    expect(press('=')).toEqual({ act: 'fit' });
    expect(press(' ')).toEqual({ act: 'reset' });
    expect(press('PageDown')).toEqual({ act: 'forward' });
    expect(press('3')).toEqual({ preset: '3' });
    expect(press('r', { ctrlKey: true })).toBeUndefined();
    expect(press('y')).toBeUndefined();
  });

  it('On a keyboard of another script, the place of a key counts.', () => {
    expect(press('ی', { code: 'KeyI' })).toEqual({ act: 'invert' });
    expect(press('ص', { code: 'KeyW' })).toEqual({ tool: 'window' });
    expect(press('۲', { code: 'Digit2' })).toEqual({ preset: '2' });
    expect(press('٣', { code: 'Numpad3' })).toEqual({ preset: '3' });
    expect(press('ی', { code: 'KeyI', ctrlKey: true })).toBeUndefined();
    // A keyboard of the Latin script has its letters elsewhere, and other letters besides.
    expect(press('z', { code: 'KeyY' })).toEqual({ tool: 'zoom' });
    expect(press('é', { code: 'Digit2' })).toBeUndefined();
  });

  it('Every tool and act has a key, and no key has two.', () => {
    const all = [...tools.flatMap(keysOfTool), ...acts.flatMap(keysOfAct)];
    expect(tools.every((tool) => keysOfTool(tool).length > 0)).toBe(true);
    expect(acts.every((act) => keysOfAct(act).length > 0)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
  });

  it('Fields, sliders and buttons keep the keys that they need.', () => {
    const make = (html: string) => {
      const root = document.createElement('div');
      root.innerHTML = html;
      return root.firstElementChild as Element;
    };
    expect(usesKey(make('<input type="search">'), 'i')).toBe(true);
    expect(usesKey(make('<input type="range">'), 'ArrowLeft')).toBe(true);
    expect(usesKey(make('<input type="range">'), 'i')).toBe(false);
    expect(usesKey(make('<button></button>'), ' ')).toBe(true);
    expect(usesKey(make('<button></button>'), 'ArrowDown')).toBe(false);
  });
});

describe('the window', () => {
  const ct = { lower: -1_024, upper: 3_071 };
  const drag = (width: number, right: number, values = ct, parts = 1) => {
    let window = { center: 40, width };
    for (let i = 0; i < parts; i++) window = dragged(window, [right / parts, 0], values);
    return window.width;
  };

  it('A drag goes through the values in proportion to their range, and never makes a window of width 1.', () => {
    expect(drag(4_000, 100)).toBeCloseTo(4_420, -1);
    expect(drag(400, -100)).toBeCloseTo(147, 0);
    expect(drag(80, -300)).toBeGreaterThan(3);
    expect(drag(256, -60, { lower: 0, upper: 255 })).toBeGreaterThan(200);
    expect(drag(400, -100, ct, 50)).toBeCloseTo(drag(400, -100), 0);
    expect(dragged({ center: 40, width: 400 }, [0, 10], ct)).toEqual({ center: expect.closeTo(80, 0), width: 400 });
  });

  it('A picture of one value still has a window that can be changed.', () => {
    expect(drag(256, 50, { lower: 7, upper: 7 })).not.toBe(256);
  });

  it('The sliders of a picture with small values go through its values.', () => {
    const range = { lower: 0, upper: 0.003 };
    for (const voiFunction of ['LINEAR', 'LINEAR_EXACT'] as const) {
      const shown = { ...windowOf(range, voiFunction), range, voiFunction };
      const ends = [centerLimits(shown), widthLimits(shown)];
      for (const [min, max] of ends) expect(max - min).toBeLessThan(0.004);
      for (const one of ends) expect(stepBetween(one)).toBeLessThan(0.000_004);
    }
    const whole = { center: 40, width: 400, range: ct, voiFunction: 'LINEAR' } as const;
    expect([centerLimits(whole), widthLimits(whole)]).toEqual([
      [-1_024, 3_071],
      [1, 4_914],
    ]);
    expect(stepBetween([1, 4_914])).toBe(5);
  });

  it('The narrowest window has an extent, because the graphics card ignores a range without one.', () => {
    for (const width of [0, 1]) {
      const { lower, upper } = rangeOf({ center: 40, width }, 'LINEAR');
      expect(upper).toBeGreaterThan(lower);
      // Values up to it are black (PS3.3 §C.11.2.1.2).
      expect(lower).toBe(39.5);
    }
    expect(rangeOf({ center: 40, width: 400 }, 'LINEAR')).toEqual({ lower: -160, upper: 239 });
  });
});

describe('the words at an arrow', () => {
  it('break between words, and inside a word that is longer than a line', () => {
    expect(wrapped('A small shadow below the  rib', 12)).toEqual(['A small', 'shadow below', 'the rib']);
    expect(wrapped('See pneumoconiosis here', 8)).toEqual(['See', 'pneumoco', 'niosis', 'here']);
    expect(wrapped('یہاں ایک چھوٹا سایہ ہے', 10)).toEqual(['یہاں ایک', 'چھوٹا سایہ', 'ہے']);
    expect(wrapped(' ', 10)).toEqual([]);
  });
});

describe('the crosshair of measurements by keyboard', () => {
  const size = [300, 200] as const;
  const key = (name: string, shiftKey = false) => ({ key: name, shiftKey });

  it('moves by ten pixels, by one with Shift, and stays on the pane', () => {
    const start = { at: [5, 100] as const, points: [] };
    expect(afterKey(start, key('ArrowRight'), 2, size)).toEqual({ at: [15, 100], points: [] });
    expect(afterKey(start, key('ArrowUp', true), 2, size)).toEqual({ at: [5, 99], points: [] });
    expect(afterKey(start, key('ArrowLeft'), 2, size)).toEqual({ at: [0, 100], points: [] });
    expect(afterKey(start, key('i'), 2, size)).toBeUndefined();
  });

  it('ends with the last point or with Escape', () => {
    const start = { at: [5, 5] as const, points: [] };
    const one = { at: [5, 5], points: [[5, 5]] };
    expect(afterKey(start, key('Enter'), 2, size)).toEqual(one);
    expect(afterKey({ at: [9, 9], points: [[5, 5]] }, key('Enter'), 2, size)).toBe('made');
    expect(afterKey(start, key('Escape'), 2, size)).toBe('cancelled');
  });
});

describe('a study whose slices are still being drawn', () => {
  it('Its facts are asked for again until none is missing, and then no more.', async () => {
    const [one, two] = ['1'.repeat(24), '2'.repeat(24)];
    const study = { series: [{ id: '1', images: [one, two] }] } as unknown as Study;
    const answers = [{ [one]: facts() }, { [one]: facts() }, { [one]: facts(), [two]: facts() }];
    const heard = answer({ 'GET /studies/s/frames': () => ({ body: { data: answers[heard.length - 1] } }) });
    const observer = new QueryObserver(queryClient, studyFacts('s', study));
    const stop = observer.subscribe(() => undefined);
    await waitFor(() => expect(Object.keys(observer.getCurrentResult().data ?? {})).toEqual([one, two]));
    expect(heard).toHaveLength(3);
    const { refetchInterval } = studyFacts('s', study);
    expect((refetchInterval as (query: unknown) => unknown)(observer.getCurrentQuery())).toBe(false);
    stop();
  });
});

describe('places and pointers of other people', () => {
  const view = { imageId: 'a'.repeat(24), frame: 3, x: 1.5, y: -2, zoom: 2, rotation: 90 as const, flipped: true };

  it('A pinned place is the same after its address, and an address with wrong numbers names none.', () => {
    const read = (search: string) => placeIn(view.imageId, new URLSearchParams(search));
    expect(read(paths.pinned(view).split('?')[1] ?? '')).toEqual(view);
    for (const wrong of ['', 'frame=3', 'x=1', 'x=NaN&y=1', 'x=1&y=1e99', 'x=1&y=1&rotation=45', 'x=1&y=1&frame=0']) {
      expect(read(wrong), wrong).toBeUndefined();
    }
  });

  it('A picture flipped from top to bottom is told as one flipped from left to right and turned by half.', () => {
    const turned = { rotation: 270, flipHorizontal: true, flipVertical: true };
    expect(sharedTurn(turned)).toEqual({ rotation: 90, flipped: false });
    expect(sharedTurn({ ...turned, flipHorizontal: false })).toEqual({ rotation: 90, flipped: true });
  });

  it('A line joins the places of one person on one frame, and ends when they draw no more.', () => {
    const pointing = new Pointing();
    const at = (userId: string, x: number, draw: boolean, frame = 1) =>
      pointing.moved({ userId, x, y: 0, frame, draw });
    at('a', 1, true);
    at('b', 9, true);
    at('a', 2, true);
    at('a', 3, false);
    at('a', 4, true);
    at('a', 5, true, 2);
    expect(pointing.snapshot().strokes).toMatchObject([{ userId: 'a', from: [1, 0], to: [2, 0] }]);
    expect(pointing.snapshot().pointers).toHaveLength(2);
    pointing.remove('a');
    expect(pointing.snapshot()).toMatchObject({ pointers: [{ userId: 'b' }], strokes: [] });
    pointing.clear();
  });
});
