/** The types of recordings, in the order in which a browser is asked for them: Safari may record the second alone. */
export const voiceTypes = ['audio/webm', 'audio/mp4'] as const;
export type VoiceType = (typeof voiceTypes)[number];
