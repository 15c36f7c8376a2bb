import { cache, metaData, type Types } from '@cornerstonejs/core';
import { annotation } from '@cornerstonejs/tools';
import {
  angleOf,
  areaOf,
  factsOfFrame,
  lengthOf,
  type MeasureKind,
  type Point,
  rounded,
  type Unit,
  valueUnit,
} from '@lightbox/contract/annotations/measuring.js';
import type { Mark, MarkKind, PixelValues } from '@lightbox/contract/annotations/schemas.js';
import { type Ellipse, pixelsUnder, statisticsIn, valueAt } from '@lightbox/contract/annotations/statistics.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { i18n } from '../../i18n';
import { ltr } from '../../lib/format';
import { frameOf } from './frameId';
import { annotationsInOrder } from './order';
import { withModalityValues } from './pixels';
import { isFromCorner, type PlaneModule, pixelOf } from './plane';
import { reformatScheme } from './reformat';
import { factsById } from './registry';

/** A measurement or an arrow that a person made, as the screen lists it. An arrow has no value. */
export interface Measure {
  uid: string;
  kind: MarkKind;
  value: number;
  unit: Unit;
  /** The lines at the drawing: the value with its unit, and what must be said with it. */
  lines: string[];
  frameId: string;
}

/** The facts that decide about a measurement on this frame. Cuts have the spacing of their volume. */
function factsFor(frameId: string): FrameFacts | undefined {
  if (frameId.startsWith(`${reformatScheme}:`)) {
    const plane = metaData.get('imagePlaneModule', frameId) as PlaneModule | undefined;
    const facts = cutFacts(frameId);
    return plane && facts && { ...facts, pixelSpacing: [plane.rowPixelSpacing, plane.columnPixelSpacing] };
  }
  const { id, n } = frameOf(frameId);
  const facts = factsById(id);
  return facts && factsOfFrame(facts, n);
}

/** The modality and the unit of values of a cut: those of the slices. */
const cutFacts = (frameId: string): FrameFacts | undefined => {
  const id = /^\w+:(.+)-\d+-(?:row|column)#/.exec(frameId)?.[1];
  const facts = id ? factsById(id) : undefined;
  return facts && { ...facts, regions: undefined };
};

interface Measured {
  value: number;
  unit: Unit;
  lines: string[];
}

/** Returns a value with its unit, which keep their order in a sentence from right to left too. */
const text = (value: number, unit: string) => ltr(`${rounded(value)}${unit === '°' ? '' : ' '}${unit}`.trim());
const atDetector = (said: boolean) => (said ? [i18n.t('viewer.atDetector')] : []);

/** Returns the values of the pixels under a mark; undefined while its frame is not in memory. */
export function pixelsOf(frameId: string, mark: Pick<Mark, 'kind' | 'points'>): PixelValues | undefined {
  const [image, facts] = [cache.getImage(frameId), factsFor(frameId)];
  const values = facts && valuesOf(image, facts);
  return values && pixelsUnder(values, mark);
}

/** The values of a picture in grey that are measured. */
const valuesOf = (image: Types.IImage | undefined, facts: FrameFacts) =>
  image && !image.color ? withModalityValues(image, facts) : undefined;

function probe(image: Types.IImage | undefined, facts: FrameFacts, point: Point): Measured | undefined {
  if (image?.color) {
    if (valueAt(image, point) === undefined) return undefined;
    const values = image.getPixelData();
    const step = values.length / (image.rows * image.columns);
    const at = Math.round(point[1]) * image.columns + Math.round(point[0]);
    const rgb = [0, 1, 2].map((i) => values[at * step + i] as number);
    return { value: Math.round(rgb.reduce((sum, one) => sum + one, 0) / 3), unit: '', lines: [`RGB ${rgb.join(' ')}`] };
  }
  const values = valuesOf(image, facts);
  const value = values && valueAt(values, point);
  if (value === undefined) return undefined;
  const unit = valueUnit(facts);
  return { value, unit, lines: [text(value, unit)] };
}

function ellipse(image: Types.IImage | undefined, facts: FrameFacts, ends: [Point, Point, Point, Point]) {
  const { value: area, scale } = areaOf(facts, ends);
  const lines = [text(area, `${scale.unit}²`), ...atDetector(scale.atDetector)];
  const values = valuesOf(image, facts);
  const found = values && statisticsIn(values, ends as Ellipse);
  if (!found) return { value: area, unit: '' as Unit, lines };
  const unit = valueUnit(facts);
  return {
    value: found.mean,
    unit,
    lines: [
      i18n.t('viewer.mean', { value: text(found.mean, unit) }),
      i18n.t('viewer.deviation', { value: text(found.deviation, unit) }),
      ...lines,
    ],
  };
}

function measured(kind: MeasureKind, world: readonly (readonly number[])[], frameId: string): Measured | undefined {
  const facts = factsFor(frameId);
  const plane = metaData.get('imagePlaneModule', frameId) as PlaneModule | undefined;
  if (!facts || !plane) return undefined;
  const points = world.map((point) => pixelOf(plane, point, isFromCorner()));
  const image = cache.getImage(frameId);
  const [a, b, c, d] = points;
  if (kind === 'probe' && a) return probe(image, facts, a);
  if (kind === 'length' && a && b) {
    const { value, scale } = lengthOf(facts, a, b);
    return { value, unit: scale.unit, lines: [text(value, scale.unit), ...atDetector(scale.atDetector)] };
  }
  if (kind === 'angle' && a && b && c) {
    const value = angleOf(facts, [a, b, c]);
    return { value, unit: '°', lines: [text(value, '°')] };
  }
  if (kind === 'ellipse' && a && b && c && d) return ellipse(image, facts, [a, b, c, d]);
  return undefined;
}

/** The lines that the library draws beside a measurement. It names a frame `imageId:` and the id. */
export const linesOf = (kind: MeasureKind, world: readonly (readonly number[])[], target: string): string[] =>
  measured(kind, world, target.replace(/^imageId:/, ''))?.lines ?? [];

/** Returns all measurements and arrows that are on the frames, in the order in which they were made. */
export function measuresOf(toolNames: Record<MarkKind, string>, frameIds: ReadonlySet<string>): Measure[] {
  return annotationsInOrder().flatMap((one): Measure[] => {
    const kind = (Object.keys(toolNames) as MarkKind[]).find((name) => toolNames[name] === one.metadata?.toolName);
    const frameId = one.metadata?.referencedImageId;
    if (!kind || !frameId || !frameIds.has(frameId)) return [];
    const uid = one.annotationUID ?? '';
    if (kind === 'arrow') {
      const words = one.data.label?.trim();
      return [{ uid, kind, frameId, value: 0, unit: '', lines: words ? [words] : [] }];
    }
    const found = measured(kind, (one.data.handles?.points ?? []) as number[][], frameId);
    if (!found || !Number.isFinite(found.value)) return [];
    return [{ uid, kind, frameId, ...found, value: rounded(found.value) }];
  });
}

export const removeMeasure = (uid: string) => annotation.state.removeAnnotation(uid);
