import { z } from 'zod';
import { Id } from '../ids.js';
import { limits } from '../limits.js';
import { UserRef } from '../users/schemas.js';

/** A place along one side of a frame, in its pixels from the top left, which is 0. It may lie beside the picture. */
export const Pixel = z.number().min(-limits.viewPixels).max(limits.viewPixels);
/** The position of a frame in its image, from 1. */
export const Frame = z.int().min(1).max(limits.viewPixels);
/** The enlargement: 1 fits the picture into the pane. */
const Zoom = z.number().min(limits.viewZoomMin).max(limits.viewZoomMax);
/** Middle and width of the window, in the values after the modality LUT. */
const Center = z.number().min(-limits.viewValue).max(limits.viewValue);
const Width = z.number().min(0).max(limits.viewValue);
/** Degrees clockwise, after the flip. */
const Rotation = z.literal([0, 90, 180, 270]);

/** A place in an image, and the way in which its sender saw it. Of a message. */
export const PinnedView = z.strictObject({
  imageId: Id,
  frame: Frame.optional(),
  x: Pixel,
  y: Pixel,
  zoom: Zoom.optional(),
  center: Center.optional(),
  width: Width.optional(),
  rotation: Rotation.optional(),
  inverted: z.boolean().optional(),
  /** True when the picture is mirrored from left to right. */
  flipped: z.boolean().optional(),
});
export type PinnedView = z.infer<typeof PinnedView>;

/** The pinned place of a message as one reader gets it. It is locked while they may not open the image. */
export const MessageView = z.union([PinnedView, z.strictObject({ imageId: Id, locked: z.literal(true) })]);
export type MessageView = z.infer<typeof MessageView>;

/** The pane of a person who looks at an image together with others. `x` and `y`: the pixel in the middle of the pane. */
export const ViewState = PinnedView.required({
  frame: true,
  zoom: true,
  center: true,
  width: true,
  rotation: true,
  inverted: true,
});
export type ViewState = z.infer<typeof ViewState>;

/** The pointer of a person. With `draw` it draws a line from its last place; the line fades. */
export const ViewPointer = z.strictObject({
  imageId: Id,
  frame: Frame,
  x: Pixel,
  y: Pixel,
  draw: z.boolean().optional(),
});
export type ViewPointer = z.infer<typeof ViewPointer>;

export const JoinView = z.strictObject({ imageId: Id });
/** Without an image, all that this connection has joined. */
export const LeaveView = z.strictObject({ imageId: Id.optional() }).nullish();

export const ViewPeople = z.object({ imageId: Id, people: z.array(UserRef) });

/** Client events that follow the hand of a person: more than `limits.viewEventsPerSecond` are dropped. */
export const streamedEvents = ['view:state', 'view:pointer'] as const;
export type StreamedEvent = (typeof streamedEvents)[number];
