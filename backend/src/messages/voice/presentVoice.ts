import type { Voice } from '@lightbox/contract/messages/voice.js';
import type { MessageVoice } from '@lightbox/core/models/message.js';

export const presentVoice = ({ id, contentType, seconds, removed }: MessageVoice): Voice => ({
  id: String(id),
  contentType,
  seconds,
  ...(removed ? { removed: true as const } : {}),
});
