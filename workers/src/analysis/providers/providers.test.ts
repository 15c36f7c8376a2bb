import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { modalityName } from '@lightbox/contract/analysis/modalities.js';
import { Findings } from '@lightbox/contract/analysis/schemas.js';
import { analysisSentences, inEnglish } from '@lightbox/contract/analysis/sentences.js';
import { inUrdu } from '@lightbox/contract/analysis/urdu.js';
import { loadAiConfig } from '@lightbox/core/config/env.js';
import { dicomPicture, element, imageModule, partTen, picture } from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { openPictures } from '../../previews/preview.js';
import { ct, inputOf, pdf, runWith } from '../../testing/analysisInputs.js';
import { localProvider } from './local.js';
import { NotAnalysable } from './provider.js';
import { selectProvider } from './select.js';

const pictures = await openPictures(null);
afterAll(() => Promise.all([pictures.close(), closeInspectors()]));

const run = (signal?: AbortSignal) => runWith(pictures, signal);
const now = () => new Date('2026-03-01T12:00:00Z');

const part = (name: string) => element(0x00180015, 'CS', name);
const view = (name: string) => element(0x00185101, 'CS', name);
const side = (name: string) => element(0x00200062, 'CS', name);
const deviation = (index: string) => element(0x00181413, 'DS', index);

describe('local', () => {
  test('The local provider describes a CT by its header and its pixels, without any interpretation.', async () => {
    const progress = run();
    const found = await localProvider(now).analyse(await inputOf(ct()), progress);
    expect(() => Findings.parse(found)).not.toThrow();
    expect(found).toMatchObject({
      differentialDiagnosis: [],
      treatment: [],
      followUp: [],
      confidence: null,
      assessed: false,
      provider: 'local',
    });
    expect(found.description).toBe(
      'CT (computed tomography), body part chest. The study was made on 2024-02-29, 2 years before this analysis. ' +
        'Laterality as recorded: left. No detail is lost in full black or full white. Edges are sharp.',
    );
    for (const part of [
      '300 × 300 pixels, grayscale, 16 bits per pixel.',
      'Pixel spacing 0.5 × 0.5 mm, a field of about 150 × 150 mm.',
      'Slice thickness 2.5 mm.',
      'Device model: Phantom 1.',
    ]) {
      expect(found.measurements).toContain(part);
    }
    expect(found.measurements?.join(' ')).toMatch(/Pixel values run from −1024 to .* HU, mean/);
    expect(found.description).not.toContain('Secret');
    expect(found.warnings[0]).toBe(analysisSentences.NO_MODEL);
    expect(found.said?.description).toContainEqual({ code: 'STUDY_PART', values: { modality: 'CT', part: 'chest' } });
    expect(found.said?.description.map(inEnglish).join(' ')).toBe(found.description);
    expect(found.said?.warnings.map((said) => said && inEnglish(said))).toEqual(found.warnings);
    expect(found.said?.measurements?.map(inEnglish)).toEqual(found.measurements);
    // Every sentence has its words in Urdu, and every value its place in them.
    const said = [found.said?.description, found.said?.warnings, found.said?.measurements].flatMap((all) => all ?? []);
    expect(said.map((one) => one && inUrdu(one)).join(' ')).not.toMatch(/undefined|NaN|{{/);
    expect(progress.onProgress).toHaveBeenCalledWith(90);
  });

  test('The local provider warns about poor pictures, with the measured numbers.', async () => {
    const flat = (value: number, side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: { r: value, g: value, b: value } } });
    const warningsOf = async (bytes: Buffer) =>
      (await localProvider(now).analyse(await inputOf(bytes), run())).warnings.join(' ');
    expect(await warningsOf(await flat(90, 100).png().toBuffer())).toMatch(
      /only one tone.*resolution is low \(100 × 100/,
    );
    const half = await flat(255, 150).png().toBuffer();
    const burnt = await flat(0, 400)
      .composite([{ input: half, left: 0, top: 0 }])
      .jpeg()
      .toBuffer();
    expect(await warningsOf(burnt)).toMatch(
      /1[34] % of the pixels are fully white.*86 % of the pixels are fully black/,
    );
    const soft = await sharp(
      await flat(40, 400)
        .composite([{ input: half, left: 0, top: 0 }])
        .png()
        .toBuffer(),
    )
      .blur(30)
      .png()
      .toBuffer();
    expect(await warningsOf(soft)).toMatch(/may be blurred/);
    expect(await warningsOf(ct(element(0x00280301, 'CS', 'YES')))).toMatch(/the picture contains text/);
  });

  test.each<[string, string, Buffer[], string[]]>([
    ['a hand without side, view and spacing', 'DX', [part('HAND')], ['NO_VIEW', 'NO_SIDE', 'NO_SPACING', 'NO_WINDOW']],
    ['a chest, which has no side', 'DX', [part('CHEST'), view('PA')], ['NO_SPACING', 'NO_WINDOW']],
    ['a knee with its side', 'CR', [part('KNEE'), view('AP'), side('R')], ['NO_SPACING', 'NO_WINDOW']],
    ['a slice that says nothing', 'CT', [], ['NO_BODY_PART', 'NO_SPACING', 'NO_SLICE', 'NO_ORIENTATION', 'NO_WINDOW']],
    [
      'too little exposure',
      'DX',
      [part('CHEST'), view('PA'), deviation('-3.2')],
      ['UNDEREXPOSED', 'NO_SPACING', 'NO_WINDOW'],
    ],
    [
      'too much exposure',
      'DX',
      [part('CHEST'), view('PA'), deviation('2')],
      ['OVEREXPOSED', 'NO_SPACING', 'NO_WINDOW'],
    ],
    ['ultrasound', 'US', [], ['TEXT_LIKELY']],
    ['no modality', '', [], ['NO_MODALITY']],
  ])('The local provider says what a header lacks or warns of: %s.', async (_name, modality, elements, codes) => {
    const pixels = Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 37) % 251));
    const module = Buffer.concat([
      element(0x00280002, 'US', 1),
      element(0x00280004, 'CS', 'MONOCHROME2'),
      element(0x00280010, 'US', 16),
      element(0x00280011, 'US', 16),
      element(0x00280100, 'US', 16),
      element(0x00280101, 'US', 16),
      element(0x00280102, 'US', 15),
      element(0x00280103, 'US', 0),
    ]);
    const named = modality ? [element(0x00080060, 'CS', modality)] : [];
    const file = partTen(Buffer.concat([...named, ...elements, module, element(0x7fe00010, 'OW', pixels)]));
    const { said } = await localProvider(now).analyse(await inputOf(file), run());
    const ofPixels = ['NO_MODEL', 'SMALL', 'NOISY', 'ONE_TONE', 'TOO_WHITE', 'TOO_BLACK', 'LOW_CONTRAST', 'BLURRED'];
    expect(said?.warnings.map((one) => one?.code).filter((code) => !ofPixels.includes(code ?? ''))).toEqual(codes);
  });

  test.each([
    // The file says 2024-02-29. It is that day in Karachi, and not yet in London.
    ['2024-02-28T20:00:00Z', 'Asia/Karachi', 'MADE_DAYS', 0],
    ['2024-02-28T20:00:00Z', 'UTC', 'MADE_DAYS', 0],
    ['2024-02-28T20:00:00Z', 'America/New_York', 'MADE_DAYS', 0],
    // The day begins first at UTC+14.
    ['2024-02-28T10:00:00Z', 'UTC', 'MADE_DAYS', 0],
    ['2024-02-28T09:59:59Z', 'UTC', 'MADE_LATER', undefined],
    ['2024-02-28T09:59:59Z', 'Pacific/Kiritimati', 'MADE_LATER', undefined],
    ['2024-03-01T20:00:00Z', 'Asia/Karachi', 'MADE_DAYS', 2],
    ['2024-03-01T20:00:00Z', 'UTC', 'MADE_DAYS', 1],
    ['2024-03-02T02:00:00Z', 'America/New_York', 'MADE_DAYS', 1],
    // Clocks change in between: a day has 23 hours.
    ['2024-03-11T04:30:00Z', 'America/New_York', 'MADE_DAYS', 11],
  ] as const)(
    'At %s in %s, the local provider says of a study of 2024-02-29: %s %s.',
    async (at, zone, code, count) => {
      const { said } = await localProvider(() => new Date(at), zone).analyse(await inputOf(ct()), run());
      const made = said?.description.find((one) => one.code.startsWith('MADE_'));
      expect([made?.code, made?.values.count]).toEqual([code, count]);
    },
  );

  test('The local provider rejects a file without a picture.', async () => {
    await expect(localProvider().analyse(pdf(), run())).rejects.toBeInstanceOf(NotAnalysable);
    const report = await inputOf(partTen(element(0x00080060, 'CS', 'SR')));
    await expect(localProvider().analyse(report, run())).rejects.toThrow('The DICOM file contains no picture.');
    const unknown = partTen(
      Buffer.concat([imageModule(picture()), element(0x7fe00010, 'OW', Buffer.alloc(4))]),
      '1.2.3.4',
    );
    await expect(localProvider().analyse(await inputOf(unknown), run())).rejects.toThrow('cannot be displayed');
  });

  test('An aborted signal stops the local provider.', async () => {
    const input = await inputOf(dicomPicture());
    await expect(localProvider().analyse(input, run(AbortSignal.abort(new Error('stopped'))))).rejects.toThrow(
      'stopped',
    );
  });
});

test('Modalities are written out with their full names.', () => {
  expect(modalityName('US')).toBe('US (ultrasound)');
  expect(modalityName('ZZ')).toBe('ZZ');
});

test('The configuration selects the provider of analyses.', () => {
  expect(selectProvider(loadAiConfig({})).name).toBe('local');
  const openai = { AI_PROVIDER: 'openai', AI_BASE_URL: 'https://ai.example.org/v1', AI_MODEL: 'm' };
  expect(selectProvider(loadAiConfig(openai))).toMatchObject({ name: 'openai', model: 'm' });
});
