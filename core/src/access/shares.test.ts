import { expect, it } from 'vitest';
import { newId } from '../db/ids.js';
import { covers, sharesByTarget } from './shares.js';

it('The shares that are found by their target are those that cover the image.', () => {
  const study = newId();
  const alone = { _id: newId() };
  const first = { _id: newId(), study };
  const second = { _id: newId(), study };
  const shares = [
    { image: alone._id },
    { image: first._id },
    { image: first._id, study },
    { image: alone._id },
    { image: newId(), study: newId() },
  ];
  const find = sharesByTarget(shares);
  for (const image of [alone, first, second, { _id: newId() }]) {
    expect(new Set(find(image))).toEqual(new Set(shares.filter((share) => covers(share, image))));
  }
  expect(find(second)).toHaveLength(1);
});
