import type { ObjectId } from '../db/ids.js';
import type { ImageDoc, ImagePlace } from '../models/image.js';

export type Ordered = Pick<ImageDoc, '_id' | 'series' | 'place' | 'createAt'>;

/** Two normals of slices are the same up to this cosine. */
const PARALLEL = 0.999;

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export interface OrderedSeries<T extends Ordered> {
  id: ObjectId;
  number?: number;
  description?: string;
  modality?: string;
  images: T[];
}

/**
 * Returns the series of a study in the order of their numbers, each with its images in order: by the position of the
 * slices along their common normal, else by instance number, else by the name of the file. The last rule is the time of
 * the upload. Images without a series are one series with the study's own id.
 */
export function seriesOf<T extends Ordered>(
  study: ObjectId,
  images: readonly T[],
  nameOf: (image: T) => string,
): OrderedSeries<T>[] {
  const groups = new Map<string, T[]>();
  for (const image of images) {
    const id = String(image.series?.id ?? study);
    const group = groups.get(id);
    if (group) group.push(image);
    else groups.set(id, [image]);
  }
  const series = [...groups.values()].map((group): OrderedSeries<T> => {
    const { id = study, ...rest } = group[0]?.series ?? {};
    return { ...rest, id, images: inOrder(group, nameOf) };
  });
  return series.sort(
    (a, b) =>
      (a.number ?? Number.MAX_SAFE_INTEGER) - (b.number ?? Number.MAX_SAFE_INTEGER) || byUpload(first(a), first(b)),
  );
}

const first = <T extends Ordered>({ images }: OrderedSeries<T>): T =>
  images.reduce((earliest, image) => (byUpload(image, earliest) < 0 ? image : earliest));

function inOrder<T extends Ordered>(images: readonly T[], nameOf: (image: T) => string): T[] {
  const slices = areSlices(images);
  const instances = images.every(({ place }) => place?.instance !== undefined);
  const names = new Map(images.map((image) => [image, slices || instances ? '' : nameOf(image)]));
  return images.toSorted(
    (a, b) =>
      (slices ? difference(a, b, 'slice') : 0) ||
      (instances ? difference(a, b, 'instance') : 0) ||
      byName.compare(names.get(a) ?? '', names.get(b) ?? '') ||
      byUpload(a, b),
  );
}

const difference = (a: Ordered, b: Ordered, key: 'slice' | 'instance'): number =>
  (a.place?.[key] ?? 0) - (b.place?.[key] ?? 0);

const byUpload = (a: Ordered, b: Ordered): number =>
  a.createAt.getTime() - b.createAt.getTime() || String(a._id).localeCompare(String(b._id));

/** True when all images are slices with one normal, so that their positions can be compared. */
function areSlices(images: readonly Ordered[]): boolean {
  const normal = images[0]?.place?.normal;
  return images.every(
    ({ place }) => place?.slice !== undefined && normal && place.normal && dot(place.normal, normal) > PARALLEL,
  );
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, axis) => sum + value * (b[axis] ?? 0), 0);

/** Returns the place of a slice, from ImagePositionPatient and ImageOrientationPatient; empty unless both are usable. */
export function sliceOf(
  position: readonly number[] | undefined,
  orientation: readonly number[] | undefined,
): Pick<ImagePlace, 'slice' | 'normal'> {
  const values = [...(position ?? []), ...(orientation ?? [])];
  if (position?.length !== 3 || orientation?.length !== 6 || !values.every(Number.isFinite)) return {};
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = orientation;
  const cross = [b * f - c * e, c * d - a * f, a * e - b * d] as const;
  const length = Math.hypot(...cross);
  if (length < 0.5) return {};
  const normal = cross.map((value) => value / length);
  return { slice: dot(position, normal), normal };
}
