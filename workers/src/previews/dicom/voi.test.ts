import { element, item } from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { nativeFile, type Row } from '../../testing/dicom.js';
import { GREY, prepared, words } from '../../testing/prepared.js';
import { drawFrame } from '../decode.js';
import type { FrameChoice } from '../protocol.js';
import { loadCodecs } from './codecs.js';

beforeAll(loadCodecs);

/** The values 10,000, 20,000 and 30,000. */
const PLACES = [50, 100, 150];
const shadesOf = async (bytes: Buffer) => {
  const all = await sharp(bytes).extractChannel(0).raw().toBuffer();
  return PLACES.map((at) => all[at]);
};
const window: Row[] = [
  [0x00281050, 'DS', '20000'],
  [0x00281051, 'DS', '30000'],
];
/** PS3.3 §C.11.2.1.2 and §C.11.2.1.3, of a window from 5,000 to 35,000. */
const shown = { LINEAR: [43, 128, 213], LINEAR_EXACT: [43, 128, 213], SIGMOID: [53, 128, 202] } as const;

describe('the function of a window', () => {
  const voi = (named: string) =>
    element(
      0x00289132,
      'SQ',
      item(
        Buffer.concat([
          element(0x00281050, 'DS', '20000'),
          element(0x00281051, 'DS', '30000'),
          ...(named ? [element(0x00281056, 'CS', named)] : []),
        ]),
      ),
    );

  test('is that of each frame, also where the file has another one', async () => {
    const frames = ['SIGMOID', '', 'LINEAR_EXACT'].map((named) => item(voi(named)));
    const extra: Row[] = [...window, [0x00281056, 'CS', 'SIGMOID'], [0x52009230, 'SQ', Buffer.concat(frames)]];
    const file = nativeFile({ ...GREY, frames: 3, extra }, Buffer.concat([words, words, words]));
    const { facts } = (await prepared(file)).drawing;
    expect(facts.perFrame?.map(({ voiFunction }) => voiFunction)).toEqual(['SIGMOID', 'LINEAR', 'LINEAR_EXACT']);
    const drawn = async (frame: number) =>
      shadesOf((await drawFrame(file, 'application/dicom', { frame, format: 'png' })).bytes);
    expect(await drawn(1)).toEqual(shown.SIGMOID);
    expect(await drawn(2)).toEqual(shown.LINEAR);
  });

  test('is that of all frames, in the preview too', async () => {
    const extra: Row[] = [[0x52009229, 'SQ', item(voi('SIGMOID'))]];
    const { drawing, preview } = await prepared(nativeFile({ ...GREY, extra }, words));
    expect(drawing.facts).toMatchObject({ voiFunction: 'SIGMOID', windows: [{ center: 20_000, width: 30_000 }] });
    expect(await shadesOf(preview?.bytes as Buffer)).toEqual(shown.SIGMOID);
  });

  test('is that of all frames in a film with more frames than the facts list', async () => {
    const frames = 10_001;
    const each = Buffer.concat(Array(frames).fill(item(voi('LINEAR_EXACT'))));
    const extra: Row[] = [
      [0x00281050, 'DS', '1'],
      [0x00281051, 'DS', '2'],
      [0x52009229, 'SQ', item(voi('SIGMOID'))],
      [0x52009230, 'SQ', each],
    ];
    const file = nativeFile({ ...GREY, frames, extra }, Buffer.concat(Array(frames).fill(words)));
    const { facts } = (await prepared(file)).drawing;
    expect(facts.perFrame).toBeUndefined();
    expect(facts).toMatchObject({ voiFunction: 'SIGMOID', windows: [{ center: 20_000, width: 30_000 }] });
    expect(await shadesOf((await drawFrame(file, 'application/dicom', { frame: 1, format: 'png' })).bytes)).toEqual(
      shown.SIGMOID,
    );
  });

  test.each<[string, Row[], FrameChoice['window'], readonly number[]]>([
    ['of the file', [...window, [0x00281056, 'CS', 'SIGMOID']], { center: 20_000, width: 30_000 }, shown.SIGMOID],
    [
      'that was asked for',
      [...window, [0x00281056, 'CS', 'SIGMOID']],
      { center: 20_000, width: 30_000, voiFunction: 'LINEAR' },
      shown.LINEAR,
    ],
    ['that was asked for', window, { center: 20_000, width: 30_000, voiFunction: 'SIGMOID' }, shown.SIGMOID],
    // The function belongs to the windows of a file.
    ['of none without windows', [[0x00281056, 'CS', 'SIGMOID']], { center: 20_000, width: 30_000 }, shown.LINEAR],
  ])('is that %s for a window of the viewer', async (_which, extra, asked, expected) => {
    const file = nativeFile({ ...GREY, extra }, words);
    const choice: FrameChoice = { frame: 1, format: 'png', window: asked };
    expect(await shadesOf((await drawFrame(file, 'application/dicom', choice)).bytes)).toEqual(expected);
  });
});

test.each([
  ['LINEAR', []],
  ['LINEAR_EXACT', [{ center: 0.5, width: 0.25 }]],
  ['SIGMOID', [{ center: 0.5, width: 0.25 }]],
])('A window narrower than 1 counts only with a function that allows it: %s.', async (named, expected) => {
  const extra: Row[] = [
    [0x00281050, 'DS', '0.5'],
    [0x00281051, 'DS', '0.25'],
    [0x00281056, 'CS', named],
  ];
  expect((await prepared(nativeFile({ ...GREY, extra }, words))).drawing.facts.windows).toEqual(expected);
});
