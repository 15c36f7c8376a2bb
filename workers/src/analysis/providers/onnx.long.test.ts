import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { probabilityText } from '@lightbox/contract/analysis/probability.js';
import { Findings } from '@lightbox/contract/analysis/schemas.js';
import { loadAiConfig } from '@lightbox/core/config/env.js';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { openPictures } from '../../previews/preview.js';
import {
  classifierInParts,
  classifierLabels,
  classifierModel,
  ct,
  inputOf,
  pdf,
  runWith,
} from '../../testing/analysisInputs.js';
import { runtimeName } from './runtime.js';
import { selectProvider } from './select.js';

const pictures = await openPictures(null);
const folder = mkdtempSync(join(tmpdir(), 'lightbox-onnx-'));
afterAll(async () => {
  await Promise.all([pictures.close(), closeInspectors()]);
  rmSync(folder, { recursive: true });
});

let files = 0;
function classifier(more: object | string = {}, model = classifierModel) {
  const labels = join(folder, `labels-${files++}.json`);
  writeFileSync(labels, typeof more === 'string' ? more : JSON.stringify(classifierLabels(more)));
  return selectProvider(loadAiConfig({ AI_PROVIDER: 'onnx', AI_ONNX_MODEL: model, AI_ONNX_LABELS: labels }));
}

/** A picture of one tone. With mean and deviation of 0.5 it is value ÷ 127.5 − 1 to the classifier. */
const grey = (value: number) =>
  sharp({ create: { width: 64, height: 64, channels: 3, background: { r: value, g: value, b: value } } })
    .png()
    .toBuffer()
    .then(inputOf);
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

test('A classifier gives its labels with the probabilities that its numbers make.', async () => {
  const provider = classifier();
  const found = await provider.analyse(await grey(204), runWith(pictures));
  expect(Findings.parse(found)).toEqual(found);
  // The mean is 0.6, so the outputs are 2.4 and −2.4.
  expect(found.differentialDiagnosis.map(({ condition }) => condition)).toEqual(['Bright', 'Dark']);
  expect(found.differentialDiagnosis[0]?.confidence).toBeCloseTo(sigmoid(2.4), 5);
  expect(found.differentialDiagnosis[1]?.confidence).toBeCloseTo(sigmoid(-2.4), 5);
  // The noise of the calculation is no part of what the classifier says.
  expect(probabilityText(found.confidence ?? 0, 'en-GB')).toBe('91.6827%');
  expect(found).toMatchObject({ provider: 'onnx', model: 'Bright or dark', modelVersion: '7', assessed: true });
  expect(found.warnings.join(' ')).toMatch(/not a diagnosis.*not calibrated.*only one tone/);
  // One tone has no place that moved the classifier more than others.
  expect(found.heatMap).toBeUndefined();
});

// `npm run test:onnx` names the runtime. A library of the system is not loaded unless its runtime ran the classifier.
if (process.env.ONNX_RUNTIME) {
  test('The native runtime runs the classifier.', async () => {
    expect(runtimeName()).toBe(process.env.ONNX_RUNTIME);
    await classifier().analyse(await grey(204), runWith(pictures));
    const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
    expect(sharedObjects.filter((path) => path.includes('onnxruntime_binding'))).toHaveLength(1);
  });

  test('The native runtime finds the weights of a classifier in a file of their own.', async () => {
    const found = await classifier({}, classifierInParts).analyse(await grey(204), runWith(pictures));
    expect(found.confidence).toBeCloseTo(sigmoid(2.4), 5);
  });
}

test('The heat map is that of the first label, from its lowest value to its highest.', async () => {
  const half = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#000' } })
    .composite([{ input: { create: { width: 32, height: 64, channels: 3, background: '#fff' } }, left: 32, top: 0 }])
    .png()
    .toBuffer();
  const { heatMap } = await classifier({
    calibration: {
      platt: [
        { a: 1, b: 1 },
        { a: 1, b: 0 },
      ],
    },
  }).analyse(await inputOf(half), runWith(pictures));
  expect(heatMap).toMatchObject({ label: 'Bright', width: 8, height: 8 });
  const row = [...Buffer.from(heatMap?.values ?? '', 'base64').subarray(0, 8)];
  expect(row.slice(0, 3)).toEqual([0, 0, 0]);
  expect(row.slice(5)).toEqual([255, 255, 255]);
});

test.each([
  ['temperature', { calibration: { temperature: 2 } }, sigmoid(1.2)],
  [
    'Platt scaling',
    {
      calibration: {
        platt: [
          { a: 0.5, b: -1 },
          { a: 1, b: 0 },
        ],
      },
    },
    sigmoid(0.2),
  ],
  ['softmax', { output: { activation: 'softmax', name: 'logits' } }, sigmoid(4.8)],
])('The probabilities follow the file: %s.', async (_name, more, expected) => {
  const found = await classifier(more).analyse(await grey(204), runWith(pictures));
  const bright = found.differentialDiagnosis.find(({ condition }) => condition === 'Bright');
  expect(bright?.confidence).toBeCloseTo(expected, 5);
});

test('A classifier refuses pictures for which it was not made, and never tries again.', async () => {
  const chest = await inputOf(ct());
  const analyse = (madeFor: object, input = chest) => classifier({ madeFor }).analyse(input, runWith(pictures));
  await expect(analyse({ modalities: ['CT'], bodyParts: ['CHEST'] })).resolves.toMatchObject({ assessed: true });
  const refused = { name: 'NotAnalysable', code: 'NOT_MADE_FOR' };
  await expect(analyse({ modalities: ['DX'] })).rejects.toMatchObject(refused);
  await expect(analyse({ modalities: ['CT'] }, await grey(9))).rejects.toMatchObject(refused);
  const part = { name: 'NotAnalysable', code: 'NOT_MADE_FOR_PART' };
  await expect(analyse({ modalities: ['CT'], bodyParts: ['HAND'] })).rejects.toMatchObject(part);
  const { bodyPart: _, ...dicom } = chest.facts.dicom ?? {};
  const nameless = { ...chest, facts: { ...chest.facts, dicom } };
  await expect(analyse({ modalities: ['CT'], bodyParts: ['CHEST'] }, nameless)).rejects.toMatchObject(part);
  await expect(analyse({ modalities: ['CT'] }, nameless)).resolves.toMatchObject({ assessed: true });
  await expect(classifier().analyse(pdf(), runWith(pictures))).rejects.toMatchObject({ code: 'PDF' });
});

test('A file of another kind than described fails with a clear reason.', async () => {
  const image = await grey(100);
  const three = { labels: ['A', 'B', 'C'] };
  await expect(classifier(three).analyse(image, runWith(pictures))).rejects.toMatchObject({
    code: 'CLASSIFIER_MISFIT',
  });
  const shape = { input: { width: 16, height: 16, channels: 1, mean: [0], std: [1] } };
  await expect(classifier(shape).analyse(image, runWith(pictures))).rejects.toMatchObject({
    code: 'CLASSIFIER_FAILED',
  });
  const nonsense = join(folder, 'nonsense.onnx');
  writeFileSync(nonsense, 'no model');
  await expect(classifier({}, nonsense).analyse(image, runWith(pictures))).rejects.toMatchObject({
    code: 'CLASSIFIER_FAILED',
  });
  // Outputs that are no probabilities are not shown as such.
  const bare = { output: { name: 'logits', activation: 'none' } };
  await expect(classifier(bare).analyse(image, runWith(pictures))).rejects.toMatchObject({ code: 'CLASSIFIER_MISFIT' });
});

test('An aborted signal stops a classifier, and the next picture is analysed.', async () => {
  const provider = classifier();
  const stopped = runWith(pictures, AbortSignal.abort(new Error('stopped')));
  await expect(provider.analyse(await grey(1), stopped)).rejects.toThrow('stopped');
  expect((await provider.analyse(await grey(1), runWith(pictures))).assessed).toBe(true);
});

test.each<[string, object | string, string | undefined, RegExp]>([
  ['no model', {}, '/nowhere/model.onnx', /AI_ONNX_MODEL .*there is no such file/],
  ['no JSON', '{', undefined, /AI_ONNX_LABELS .*no JSON/],
  ['no labels', { labels: [] }, undefined, /labels/],
  ['one label twice', { labels: ['A', 'A'] }, undefined, /one label stands twice/],
  ['an unknown modality', { madeFor: { modalities: ['XX'] } }, undefined, /madeFor\.modalities/],
  ['no kind of picture', { madeFor: { modalities: [] } }, undefined, /names no kind of picture/],
  ['an unknown field', { threshold: 1 }, undefined, /threshold/],
  [
    'a mean for three channels',
    { input: { width: 32, height: 32, channels: 1, mean: [1, 2, 3], std: [1] } },
    undefined,
    /input\.mean needs one number/,
  ],
  ['Platt rows that are too few', { calibration: { platt: [{ a: 1, b: 1 }] } }, undefined, /one row for each label/],
])('The start is refused with a plain sentence: %s.', (_name, more, model, says) => {
  expect(() => classifier(more, model)).toThrow(says);
});
