import { annotation } from '@cornerstonejs/tools';
import type { MarkKind } from '@lightbox/contract/annotations/schemas.js';
import { afterEach, expect, it } from 'vitest';
import { measuresOf } from './measures';

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
afterEach(() => annotation.state.removeAllAnnotations());

it('Marks are listed in the order in which they were made, although the library groups them by place and tool.', () => {
  draw('first', '1');
  draw('second', '2');
  // The screen lists the marks after each change.
  expect(listed()).toEqual(['first', 'second']);
  draw('third', '1');
  expect(annotation.state.getAllAnnotations().map((one) => one.annotationUID)).toEqual(['first', 'third', 'second']);
  expect(listed()).toEqual(['first', 'second', 'third']);
});
