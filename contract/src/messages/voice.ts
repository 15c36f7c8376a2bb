import { z } from 'zod';
import { Id } from '../ids.js';

/** The types of recordings, in the order in which a browser is asked for them: Safari may record the second alone. */
export const voiceTypes = ['audio/webm', 'audio/mp4'] as const;
export type VoiceType = (typeof voiceTypes)[number];

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
