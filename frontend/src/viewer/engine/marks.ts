import { metaData, type Types } from '@cornerstonejs/core';
import { annotation, utilities } from '@cornerstonejs/tools';
import { type Mark, markKinds, markPoints, type PixelValues } from '@lightbox/contract/annotations/schemas.js';
import { hundredth } from '../hundredth';
import { partsOf, uidOf } from '../markUid';
import type { Vector } from '../orientation';
import { frameIdOf, frameOf, scheme } from './frameId';
import { pixelsOf } from './measures';
import { annotationsInOrder, numberOf } from './order';
import { isFromCorner, type PlaneModule, pixelOf, worldOf } from './plane';
import { runningEngine } from './start';
import { annotationOf, measureTools } from './tools';

const OTHERS = 'rgb(140, 205, 255)';

interface Drawn {
  annotationUID: string;
  metadata: { toolName: string; referencedImageId?: string };
  data: { label?: string; handles: { points: number[][] } };
}

const planeOf = (frameId: string) =>
  metaData.get('imagePlaneModule', frameId) as (PlaneModule & { frameOfReferenceUID: string }) | undefined;

/** The values under marks, with the points at which they were measured. A frame that is not in memory keeps them. */
const measuredAt = new WeakMap<object, { points: string; pixels: PixelValues }>();

/** Returns the values under a mark of the person, measured once for each place. */
function pixelsAt(one: Drawn, frameId: string, mark: Pick<Mark, 'kind' | 'points'>): PixelValues | undefined {
  const points = JSON.stringify(mark.points);
  const known = measuredAt.get(one);
  if (known?.points === points) return known.pixels;
  const pixels = pixelsOf(frameId, mark);
  if (pixels) measuredAt.set(one, { points, pixels });
  return pixels;
}

/** A mark as it is drawn, with its image and its layer; the person's own marks have no layer. */
export interface DrawnMark {
  imageId: string;
  layer: string | undefined;
  mark: Mark;
}

/** Returns all marks that are drawn on frames. Marks on cuts belong to no frame, and are not kept. */
export function drawnMarks(): DrawnMark[] {
  return (annotationsInOrder() as unknown as Drawn[]).flatMap((one) => {
    const frameId = one.metadata.referencedImageId;
    const kind = markKinds.find((name) => measureTools[name] === one.metadata.toolName);
    const plane = frameId?.startsWith(`${scheme}:`) ? planeOf(frameId) : undefined;
    if (!frameId || !plane || !kind || one.data.handles.points.length !== markPoints[kind]) return [];
    const { id: imageId, n: frame } = frameOf(frameId);
    const { layer, id } = partsOf(one.annotationUID);
    const points = one.data.handles.points.map((world): [number, number] => {
      const [x, y] = pixelOf(plane, world, isFromCorner());
      return [hundredth(x), hundredth(y)];
    });
    const text = kind === 'arrow' ? one.data.label?.trim() : '';
    const pixels = layer ? undefined : pixelsAt(one, frameId, { kind, points });
    return [{ imageId, layer, mark: { id, kind, frame, points, ...(text && { text }), ...(pixels && { pixels }) } }];
  });
}

/** Draws the marks of a layer on an image in the place of those that are drawn. Others' marks cannot be moved. */
export function showMarks(imageId: string, layer: string | undefined, marks: readonly Mark[], visible: boolean): void {
  const drawn = new Map(
    drawnMarks()
      .filter((one) => one.imageId === imageId && one.layer === layer)
      .map(({ mark }) => [mark.id, mark]),
  );
  const wanted = new Map(marks.map((mark) => [mark.id, mark]));
  for (const [id, mark] of drawn) {
    if (!isSame(wanted.get(id), mark)) annotation.state.removeAnnotation(uidOf(layer, mark.id));
  }
  for (const [id, mark] of wanted) {
    if (!isSame(drawn.get(id), mark)) add(imageId, layer, mark);
    annotation.visibility.setAnnotationVisibility(uidOf(layer, mark.id), visible);
  }
  render();
}

const isSame = (a: Mark | undefined, b: Mark) =>
  a !== undefined &&
  a.kind === b.kind &&
  a.frame === b.frame &&
  (a.text ?? '') === (b.text ?? '') &&
  a.points.every(
    ([x, y], i) =>
      hundredth(b.points[i]?.[0] ?? Number.NaN) === hundredth(x) &&
      hundredth(b.points[i]?.[1] ?? Number.NaN) === hundredth(y),
  );

function add(imageId: string, layer: string | undefined, mark: Mark) {
  const frameId = frameIdOf({ id: imageId, n: mark.frame });
  const plane = planeOf(frameId);
  if (!plane) return;
  const points = mark.points.map((point) => worldOf(plane, point, isFromCorner()) as Types.Point3);
  const metadata = {
    toolName: measureTools[mark.kind],
    referencedImageId: frameId,
    FrameOfReferenceUID: plane.frameOfReferenceUID,
    viewPlaneNormal: cross(plane.rowCosines, plane.columnCosines),
    viewUp: plane.columnCosines.map((value) => -value),
  };
  const uid = uidOf(layer, mark.id);
  numberOf(uid);
  const made = { ...annotationOf(metadata, points, mark.text ?? ''), annotationUID: uid };
  annotation.state.addAnnotation(made as never, undefined as never);
  const { pixels } = mark;
  if (pixels) measuredAt.set(made, { points: JSON.stringify(mark.points), pixels });
  if (!layer) return;
  annotation.locking.setAnnotationLocked(uid, true);
  const colours = {
    color: OTHERS,
    colorLocked: OTHERS,
    colorHighlighted: OTHERS,
    colorSelected: OTHERS,
    textBoxColor: OTHERS,
    textBoxColorLocked: OTHERS,
    textBoxColorHighlighted: OTHERS,
  };
  annotation.config.style.setAnnotationStyles(uid, colours as never);
}

const cross = ([a, b, c]: Vector, [d, e, f]: Vector): Vector => [b * f - c * e, c * d - a * f, a * e - b * d];

/** Writes the words at an arrow. */
export function setText(uid: string, text: string): void {
  const arrow = annotation.state.getAnnotation(uid) as unknown as Drawn | undefined;
  if (!arrow) return;
  arrow.data.label = text;
  const [viewport] = runningEngine()?.getViewports() ?? [];
  if (viewport) annotation.state.triggerAnnotationModified(arrow as never, viewport.element);
  render();
}
export const textAt = (uid: string): string =>
  (annotation.state.getAnnotation(uid) as unknown as Drawn | undefined)?.data.label ?? '';

function render() {
  const ids =
    runningEngine()
      ?.getViewports()
      .map(({ id }) => id) ?? [];
  if (ids.length > 0) utilities.triggerAnnotationRenderForViewportIds(ids);
}
