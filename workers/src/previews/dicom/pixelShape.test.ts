import { lengthOf } from '@lightbox/contract/annotations/measuring.js';
import { limits } from '@lightbox/contract/limits.js';
import { element, item } from '@lightbox/testkit/part10.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { nativeFile, type Row } from '../../testing/dicom.js';
import { GREY, prepared, words } from '../../testing/prepared.js';
import { drawFrame, forModel } from '../decode.js';
import { loadCodecs } from './codecs.js';

beforeAll(loadCodecs);

describe('the scale of a picture', () => {
  test('is none where the file states nothing but the shape of its pixels', async () => {
    const { facts } = (await prepared(nativeFile({ ...GREY, extra: [[0x00280034, 'IS', '2\\1']] }, words))).drawing;
    expect(facts).toMatchObject({ pixelAspectRatio: [2, 1] });
    expect([facts.pixelSpacing, lengthOf(facts, [0, 0], [0, 4]).scale.unit]).toEqual([undefined, 'px']);
  });
});

describe('a picture whose pixels are not square', () => {
  const sizesOf = async (extra: Row[], frames?: number) => {
    const pixels = { ...GREY, extra, ...(frames ? { frames } : {}) };
    const file = nativeFile(pixels, Buffer.concat(Array.from({ length: frames ?? 1 }, () => words)));
    const size = ({ width, height }: { width: number; height: number }) => [width, height];
    const { preview } = await prepared(file);
    const rendered = await drawFrame(file, 'application/dicom', { frame: 1, format: 'png' });
    const model = await forModel(file, 'application/dicom');
    return [preview ? size(preview) : null, size(rendered), size(model)];
  };
  const all = (width: number, height: number) => Array(3).fill([width, height]);

  test.each<[string, Row[], number, number]>([
    ['by its aspect ratio', [[0x00280034, 'IS', '2\\1']], 16, 32],
    ['by its spacing', [[0x00280030, 'DS', '0.25\\0.5']], 32, 16],
    [
      'by its spacing before an aspect ratio',
      [
        [0x00280030, 'DS', '0.25\\0.5'],
        [0x00280034, 'IS', '2\\1'],
      ],
      32,
      16,
    ],
    ['not by an aspect ratio that cannot be', [[0x00280034, 'IS', '0\\1']], 16, 16],
  ])('is drawn in its true shape, %s', async (_by, extra, width, height) => {
    expect(await sizesOf(extra)).toEqual(all(width, height));
  });

  test('is drawn by the spacing of its frame', async () => {
    const measures = element(0x00289110, 'SQ', item(element(0x00280030, 'DS', '1\\0.5')));
    expect(await sizesOf([[0x52009229, 'SQ', item(measures)]], 2)).toEqual(all(16, 32));
  });

  test.each<[string, Row]>([
    ['by their aspect ratio', [0x00280034, 'IS', '1\\2147483647']],
    ['by their spacing', [0x00280030, 'DS', '1E-300\\1E300']],
  ])('never becomes larger than other pictures, however long its pixels are %s', async (_by, row) => {
    expect(await sizesOf([row])).toEqual([
      [limits.previewPixels, 1],
      [limits.renderedPixels, 1],
      [1024, 1],
    ]);
  });
});
