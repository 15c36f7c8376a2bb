import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { loadAiConfig } from '@lightbox/core/config/env.js';
import { selectProvider } from '@lightbox/workers/analysis/providers/select.js';
import { openPictures } from '@lightbox/workers/previews/preview.js';
import { classifierLabels, classifierModel, ct } from '@lightbox/workers/testing/analysisInputs.js';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.js';
import { atThreshold, auc, brier, calibrationError, type Judged, reliability, share } from './figures.js';
import { readLabels, requireUsable } from './labels.js';
import { reportOf } from './report.js';

const judged = (truth: readonly number[], scores: readonly number[]): Judged[] =>
  scores.map((score, at) => ({ truth: truth[at] === 1, score }));
const sample = judged(
  [1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0],
  [
    ...[0.92, 0.81, 0.75, 0.64, 0.55, 0.41, 0.55, 0.33, 0.38, 0.12],
    ...[0.07, 0.05, 0.71, 0.22, 0.18, 0.83, 0.46, 0.52, 0.29, 0.61],
  ],
);
/** AUC and Brier score of scikit-learn 1.x; the interval of DeLong's method by midranks (Sun and Xu 2014), in numpy. */
const known = {
  auc: 0.7727272727272727,
  low: 0.5460467307869066,
  high: 0.9994078146676388,
  brier: 0.19373999999999997,
  ece: 0.219,
};

describe('the figures', () => {
  it('AUC, Brier score and calibration are those that scikit-learn and DeLong give.', () => {
    const found = auc(sample);
    expect(found?.value).toBeCloseTo(known.auc, 10);
    expect(found?.interval?.[0]).toBeCloseTo(known.low, 6);
    expect(found?.interval?.[1]).toBeCloseTo(known.high, 6);
    expect(brier(sample)).toBeCloseTo(known.brier, 10);
    expect(calibrationError(sample)).toBeCloseTo(known.ece, 10);
    expect(reliability(sample).reduce((sum, { count }) => sum + count, 0)).toBe(sample.length);
  });

  it('A perfect, a reversed and a blind provider have AUCs of 1, 0 and 0.5; one truth alone has none.', () => {
    expect(auc(judged([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]))?.value).toBe(1);
    expect(auc(judged([1, 1, 0, 0], [0.1, 0.2, 0.8, 0.9]))?.value).toBe(0);
    expect(auc(judged([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]))?.value).toBe(0.5);
    expect(auc(judged([1, 1], [0.5, 0.6]))).toBeNull();
    expect(auc(judged([1, 0], [0.5, 0.4]))).toEqual({ value: 1, interval: null });
  });

  it('Sensitivity and specificity count the threshold itself as positive, with Wilson intervals.', () => {
    const at = atThreshold(judged([1, 1, 1, 0, 0], [0.5, 0.9, 0.2, 0.5, 0.1]), 0.5);
    expect(at).toMatchObject({ truePositive: 2, falseNegative: 1, trueNegative: 1, falsePositive: 1 });
    expect(at.sensitivity?.value).toBeCloseTo(2 / 3);
    // Eight of ten: the interval of Wilson's score is known from tables.
    expect(share(8, 10)?.low).toBeCloseTo(0.4902, 4);
    expect(share(8, 10)?.high).toBeCloseTo(0.9433, 4);
    expect(share(0, 0)).toBeNull();
  });
});

describe('the labels', () => {
  it('A table gives the truth of each file. An empty value was not judged.', () => {
    const { labels, rows } = readLabels('\uFEFFfile,"Fracture, old",Effusion\r\n"a,b.dcm",1,0\r\nc.png,,yes\r\n');
    expect(labels).toEqual(['Fracture, old', 'Effusion']);
    expect(rows.map(({ file, truth }) => [file, ...truth])).toEqual([
      ['a,b.dcm', ['Fracture, old', true], ['Effusion', false]],
      ['c.png', ['Effusion', true]],
    ]);
  });

  it.each([
    ['no heading', 'a.dcm,1\n', /heading/],
    ['no file', 'file,A\n', /no file/],
    ['one label twice', 'file,A,A\nx,1,1\n', /twice/],
    ['one file twice', 'file,A\nx,1\nx,0\n', /second time/],
    ['too few values', 'file,A,B\nx,1\n', /2 values/],
    ['another value', 'file,A\nx,maybe\n', /"maybe": write 1, 0 or nothing/],
  ])('A table with a fault is refused: %s.', (_name, text, says) => {
    expect(() => readLabels(text)).toThrow(says);
  });

  it('Missing files and unknown labels are named.', () => {
    const table = readLabels('file,A\nnowhere.dcm,1\n');
    expect(() => requireUsable(table, tmpdir(), undefined)).toThrow(/not in .*: nowhere\.dcm/);
    expect(() => requireUsable({ ...table, rows: [] }, tmpdir(), ['B', 'C'])).toThrow('no label "A". It has: B, C.');
  });
});

describe('an evaluation', () => {
  let folder: string;
  const pictures = openPictures(null);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lightbox-evaluate-'));
    for (const value of [10, 60, 180, 240]) {
      const create = { width: 40, height: 40, channels: 3 as const, background: { r: value, g: value, b: value } };
      await sharp({ create })
        .png()
        .toFile(join(folder, `${value}.png`));
    }
    writeFileSync(join(folder, 'slice.dcm'), ct());
    writeFileSync(join(folder, 'letter.txt'), 'no picture');
    writeFileSync(join(folder, 'labels.json'), JSON.stringify(classifierLabels()));
  });
  afterAll(async () => {
    await Promise.all([pictures.then((open) => open.close()), closeInspectors()]);
    rmSync(folder, { recursive: true });
  });

  const table = readLabels('file,Bright\n10.png,0\n60.png,0\n180.png,1\n240.png,1\nslice.dcm,0\nletter.txt,1\n');
  const evaluated = async (env: Record<string, string>) =>
    evaluate({
      provider: selectProvider(loadAiConfig(env)),
      pictures: await pictures,
      folder,
      table,
      threshold: 0.5,
      maxCalls: 10,
      signal: new AbortController().signal,
    });

  it('A classifier gets its figures by modality, in a report that names no file.', async () => {
    const found = await evaluated({
      AI_PROVIDER: 'onnx',
      AI_ONNX_MODEL: classifierModel,
      AI_ONNX_LABELS: join(folder, 'labels.json'),
    });
    expect(found).toMatchObject({ provider: 'onnx', model: 'Bright or dark', modelVersion: '7', files: 6 });
    expect(found.failed).toEqual({ 'The file cannot be read.': 1 });
    expect(found.figures.map(({ modality, of }) => [modality, of.files])).toEqual([
      ['all', 5],
      ['CT', 1],
      ['none', 4],
    ]);
    const pngs = found.figures.find(({ modality }) => modality === 'none')?.of;
    expect(pngs).toMatchObject({ positive: 2, auc: { value: 1 }, at: { sensitivity: { value: 1 } } });
    const report = reportOf(found);
    expect(report).toContain('| Bright | none | 4 | 2 | 1.000 (1.000 to 1.000) |');
    expect(report).toContain('The file cannot be read.');
    expect(report).not.toMatch(/\.png|\.dcm|Secret/);
  });

  it('The local provider gives no probabilities, and the report says so.', async () => {
    const found = await evaluated({});
    expect(found.figures).toEqual([]);
    expect(reportOf(found)).toContain('gives no probabilities');
  });
});
