import { expect, it } from 'vitest';
import { dicomWebCalls } from './calls.js';

const windowIn = (window: string) => dicomWebCalls.renderInstance.query.safeParse({ window }).data?.window;

it('A window of DICOMweb has the function that it names, in the words of PS3.18 §8.3.5.1.4.', () => {
  const window = { center: -40.5, width: 400 };
  expect(windowIn('-40.5,400')).toEqual(window);
  expect(windowIn('-40.5,400,linear')).toEqual({ ...window, voiFunction: 'LINEAR' });
  expect(windowIn('-40.5,400,LINEAR-EXACT')).toEqual({ ...window, voiFunction: 'LINEAR_EXACT' });
  expect(windowIn('-40.5,400,sigmoid')).toEqual({ ...window, voiFunction: 'SIGMOID' });
  expect(windowIn('-40.5,400,cubic')).toBeUndefined();
});
