import { cache, imageLoader, type Types, utilities } from '@cornerstonejs/core';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { afterEach, describe, expect, it } from 'vitest';
import { frameIdOf, scheme } from './frameId';
import { forgetVolumes, planesOf, reformatted, type Volume, volumeOf } from './reformat';
import { forgetFacts, registerFacts } from './registry';

const size = { rows: 4, columns: 3 };

/** Registers slices one above the other, five millimetres apart, and returns their frames. */
function stack(count: number, of: (n: number) => Partial<FrameFacts> = () => ({})): string[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `slice${n}`;
    const facts: FrameFacts = {
      kind: 'dicom',
      frames: 1,
      ...size,
      modality: 'CT',
      windows: [],
      pixelSpacing: [1, 1],
      orientation: [1, 0, 0, 0, 1, 0],
      position: [0, 0, n * 5],
      frameOfReference: 'room',
      previewFrame: 1,
    };
    registerFacts(id, { ...facts, ...of(n) });
    return frameIdOf({ id, n: 1 });
  });
}

afterEach(() => {
  forgetFacts();
  forgetVolumes();
  cache.purgeCache();
});

describe('Planes are cut from slices', () => {
  it('that lie straight above each other, although their places are rounded.', () => {
    expect(volumeOf(stack(6))?.spacing).toEqual([1, 1, 5]);
    const rounded = stack(6, (n) => ({ position: [0.02 * (n % 2), -0.02 * (n % 3), n * 5] }));
    expect(volumeOf(rounded)).toBeDefined();
  });

  // The cuts would put each slice straight below the one before: lengths and angles in them would be wrong.
  it('and not from those of a tilted gantry, whose slices are shifted against each other.', () => {
    const tilt = (20 * Math.PI) / 180;
    const orientation = [1, 0, 0, 0, Math.cos(tilt), -Math.sin(tilt)];
    expect(volumeOf(stack(6, () => ({ orientation })))).toBeUndefined();
    const upright = (n: number): [number, number, number] => [0, n * 5 * Math.sin(tilt), n * 5 * Math.cos(tilt)];
    expect(volumeOf(stack(6, (n) => ({ orientation, position: upright(n) })))).toBeDefined();
  });

  it.each<[string, Partial<FrameFacts>]>([
    ['has pixels of another size', { pixelSpacing: [2, 2] }],
    ['has pixels of no stated size', { pixelSpacing: undefined }],
    ['has no stated direction', { orientation: undefined }],
    ['lies in another room', { frameOfReference: 'other' }],
  ])('and not when one of them %s.', (_what, odd) => {
    expect(volumeOf(stack(6, (n) => (n === 3 ? odd : {})))).toBeUndefined();
  });
});

describe('A cut', () => {
  /** Slices of one value each, as the library keeps them after it has drawn them. */
  function drawn(values: readonly number[], of?: (n: number) => Partial<FrameFacts>): Volume {
    const frameIds = stack(values.length, of);
    imageLoader.registerImageLoader(scheme, (imageId: string) => {
      const value = values[frameIds.indexOf(imageId)] ?? 0;
      const pixels = new Int16Array(size.rows * size.columns).fill(value);
      const { rows: height, columns: width } = size;
      const voxels = { scalarData: pixels, width, height, numberOfComponents: 1 };
      const image = {
        ...{ imageId, ...size, width, height, slope: 1, intercept: 0, sizeInBytes: pixels.byteLength, color: false },
        ...{
          windowCenter: 7,
          windowWidth: 9,
          minPixelValue: value,
          maxPixelValue: value,
          cachedLut: { lutArray: new Uint8ClampedArray(1) },
        },
        getPixelData: () => pixels,
        voxelManager: utilities.VoxelManager.createImageVoxelManager(voxels as never),
      };
      return { promise: Promise.resolve(image as unknown as Types.IImage) } as never;
    });
    return volumeOf(frameIds) as Volume;
  }

  it('has the range of its own values, and no table of its first slice: without WebGL other values would be black.', async () => {
    const [, cut] = planesOf(drawn([100, -200, 1500, 40]));
    const image = await reformatted.load(cut?.frameIds[1] ?? '');
    expect([image.minPixelValue, image.maxPixelValue]).toEqual([-200, 1500]);
    expect(image.cachedLut).toBeUndefined();
  });

  it('without a window leaves the padding of each slice out of the one that fits it.', async () => {
    const padded = drawn([-2000, -200, 1500, 40], () => ({ pixelPaddingValue: -2000 }));
    const image = await reformatted.load(planesOf(padded)[1]?.frameIds[1] ?? '');
    expect([image.windowCenter, image.windowWidth]).toEqual([650.5, 1701]);
  });

  it('has the window of its first slice also where only the frames of the file have windows.', async () => {
    const windows = [{ center: 7, width: 9 }];
    const volume = drawn([100, -200, 1500, 40], () => ({ perFrame: [{ windows }] }));
    const image = await reformatted.load(planesOf(volume)[1]?.frameIds[1] ?? '');
    expect([image.windowCenter, image.windowWidth]).toEqual([7, 9]);
  });
});
