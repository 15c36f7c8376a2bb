import { z } from 'zod';
import { Id } from '../ids.js';
import { voiceTypes } from './voiceTypes.js';

/** The recording of a voice message. Its bytes are read by a call of their own. */
export const Voice = z.object({
  id: Id,
  contentType: z.enum(voiceTypes),
  /** Its length, which the server reads from the recording. */
  seconds: z.number(),
  /** Present once the bytes were removed, with the account of the sender. */
  removed: z.literal(true).optional(),
});
export type Voice = z.infer<typeof Voice>;
