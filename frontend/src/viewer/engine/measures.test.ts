import { cache, metaData } from '@cornerstonejs/core';
import { annotation } from '@cornerstonejs/tools';
import type { MarkKind } from '@lightbox/contract/annotations/schemas.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { afterEach, expect, it } from 'vitest';
import { ltr } from '../../lib/format';
import { frameIdOf } from './frameId';
import { linesOf, measuresOf, pixelsOf } from './measures';
import { moduleOf } from './modules';
import { keepBeforeVoi } from './pixels';
import { forgetFacts, registerFacts } from './registry';

const toolNames: Record<MarkKind, string> = {
  length: 'Length',
  angle: 'Angle',
  ellipse: 'Ellipse',
  probe: 'Probe',
  arrow: 'Arrow',
};
const frameId = 'frame:1';
const listed = () => measuresOf(toolNames, new Set([frameId])).map(({ uid }) => uid);
function draw(annotationUID: string, FrameOfReferenceUID: string) {
  const metadata = { toolName: toolNames.arrow, referencedImageId: frameId, FrameOfReferenceUID };
  const made = { annotationUID, metadata, data: { handles: { points: [] } } };
  annotation.state.getAnnotationManager().addAnnotation(made as never);
}
afterEach(() => {
  annotation.state.removeAllAnnotations();
  cache.purgeCache();
  forgetFacts();
});

it('Marks are listed in the order in which they were made, although the library groups them by place and tool.', () => {
  draw('first', '1');
  draw('second', '2');
  // The screen lists the marks after each change.
  expect(listed()).toEqual(['first', 'second']);
  draw('third', '1');
  expect(annotation.state.getAllAnnotations().map((one) => one.annotationUID)).toEqual(['first', 'third', 'second']);
  expect(listed()).toEqual(['first', 'second', 'third']);
});

it('A picture that is drawn through a VOI LUT is measured by its own values, not by those of the table.', () => {
  const voiLuts = [{ first: -1024, bits: 16, entries: '' }];
  const facts: FrameFacts = { kind: 'dicom', frames: 1, modality: 'CT', windows: [], voiLuts, previewFrame: 1 };
  registerFacts('ct', facts);
  const imageId = frameIdOf({ id: 'ct', n: 1 });
  const pixels = Uint16Array.of(30_000, 60_000);
  const size = { rows: 1, columns: 2, sizeInBytes: pixels.byteLength };
  const image = { imageId, ...size, color: false, getPixelData: () => pixels };
  keepBeforeVoi(image, () => [40, -100]);
  cache.putImageSync(imageId, image as never);
  const planes = (name: string) => moduleOf(name, facts, 1, 'ct', false);
  metaData.addProvider(planes, 1);
  expect(linesOf('probe', [[1, 0, 0]], imageId)).toEqual([ltr('-100 HU')]);
  metaData.removeProvider(planes);
  expect(pixelsOf(imageId, { kind: 'probe', points: [[0, 0]] })).toEqual({ mean: 40 });
  const all: [number, number][] = [
    [0.5, 1],
    [0.5, -1],
    [-1, 0],
    [2, 0],
  ];
  expect(pixelsOf(imageId, { kind: 'ellipse', points: all })).toEqual({ mean: -30, deviation: 70 });
});
