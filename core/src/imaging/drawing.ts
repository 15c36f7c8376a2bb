import { FrameFacts, TagRow, TextPlace } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { z } from 'zod';
import { encapsulatedTypes } from './mediaTypes.js';

/** Part of a frame: literal bytes in base64, or offset and length in the blob that holds the frames. */
export const FramePart = z.union([
  z.object({ bytes: z.base64().max(64 * 1024) }),
  z.tuple([z.int().nonnegative(), z.int().nonnegative()]).readonly(),
]);
export type FramePart = z.infer<typeof FramePart>;

const BYTES = 'application/octet-stream';

/** The transfer syntaxes in which frames are served. */
const servedSyntaxes = [
  '1.2.840.10008.1.2.1',
  '1.2.840.10008.1.2.5',
  '1.2.840.10008.1.2.4.50',
  '1.2.840.10008.1.2.4.51',
  '1.2.840.10008.1.2.4.57',
  '1.2.840.10008.1.2.4.70',
  '1.2.840.10008.1.2.4.80',
  '1.2.840.10008.1.2.4.81',
  '1.2.840.10008.1.2.4.90',
  '1.2.840.10008.1.2.4.91',
  '1.2.840.10008.1.2.4.201',
  '1.2.840.10008.1.2.4.202',
  '1.2.840.10008.1.2.4.203',
] as const;
export type ServedSyntax = (typeof servedSyntaxes)[number];

export const isServed = (transferSyntax: string): transferSyntax is ServedSyntax =>
  (servedSyntaxes as readonly string[]).includes(transferSyntax);

/** Returns the media type of a frame with its transfer syntax (PS3.18 §8.7.3). */
export const mediaTypeOf = (syntax: ServedSyntax): string =>
  `${encapsulatedTypes[syntax] ?? BYTES}; transfer-syntax=${syntax}`;

/** Every media type that a frame may have. A gateway serves no other. */
const served = [...servedSyntaxes.map(mediaTypeOf), 'image/jpeg', 'image/png', BYTES];

/** How a file is drawn. A worker makes it once. Gateways serve frames by it and decode nothing. */
export const Drawing = z.object({
  /** Without `frameOfReference`, which the gateway adds. */
  facts: FrameFacts,
  /** The gateway shows only a keyed hash of it. */
  frameOfReferenceUid: z.string().max(64).optional(),
  /** The blob to which the ranges refer: the original file, or the plain frames (`DrawingDoc.plain`). */
  source: z.enum(['file', 'plain']),
  mediaType: z.enum(served),
  /**
   * The parts of each frame; a damaged frame has none. Empty when the frames exist only as pictures that the server draws:
   * pages of a PDF, and frames that would take too much space.
   */
  frames: z.array(z.array(FramePart).max(100_000)).max(100_000),
  /** Places of the preview's frame that look like printed text. Absent: an older version did not look. */
  text: z.array(TextPlace).max(limits.textPlaces).optional(),
});
export type Drawing = z.infer<typeof Drawing>;

/** The tags of a file, sealed beside its drawing. */
export const Tags = z.array(TagRow).max(limits.tagRows);

/** The drawing of a file that is stored and cannot be drawn. */
export const undrawable: Drawing = {
  facts: { kind: 'none', frames: 0, modality: 'OT', windows: [], previewFrame: 1 },
  source: 'file',
  mediaType: 'application/octet-stream',
  frames: [],
};

/** True when the ranges of each frame lie within a blob of `size` bytes, and together are not longer than it. */
export const fitsInto = ({ frames }: Drawing, size: number): boolean =>
  frames.every((parts) => {
    const ranges = parts.flatMap((part) => ('bytes' in part ? [] : [part]));
    const total = ranges.reduce((sum, [, length]) => sum + length, 0);
    return total <= size && ranges.every(([offset, length]) => offset + length <= size);
  });

/** Contexts that bind sealed parts to their image. The data key of the image seals them. */
export const drawingContext = (imageId: string): string => `${imageId}:drawing`;
export const tagsContext = (imageId: string): string => `${imageId}:tags`;
export const plainContext = (imageId: string): string => `${imageId}:plain`;
