import { z } from 'zod';
import { Id } from '../ids.js';

/**
 * The message that another one answers, as far as the answer shows it. It is read at each reading: a message names the
 * answered one by its id alone.
 */
export const Quote = z.object({
  id: Id,
  senderId: Id,
  /** The first characters of its text. */
  content: z.string(),
  /** The number of attached images; absent without one. */
  images: z.int().optional(),
  /** True for a voice message. */
  voice: z.literal(true).optional(),
  /** True for a message that pins a place in an image. */
  pinned: z.literal(true).optional(),
});
export type Quote = z.infer<typeof Quote>;
