import { expect, it } from 'vitest';
import { choicesFor } from './Expiry';

it.each([
  [24, [1, 24, 72, 168]],
  [1, [1, 24, 72, 168]],
  [48, [1, 48, 72, 168]],
  [36, [1, 36, 72, 168]],
  [720, [1, 24, 72, 720]],
])('With a default of %i hours, four durations are offered, the default among them.', (usual, choices) => {
  expect(choicesFor(usual)).toEqual(choices);
});
