import { limits } from '@lightbox/contract/limits.js';
import type { VoiceType } from '@lightbox/contract/messages/voiceTypes.js';
import { AppError } from '@lightbox/core/errors.js';
import { mp4Seconds } from './mp4.js';
import { webmSeconds } from './webm.js';

export interface Recording {
  contentType: VoiceType;
  seconds: number;
}

/** A recorder stops a moment after the limit. */
const SLACK_SECONDS = 5;

/** Reads type and length of a recording from its content. Throws when the bytes are not one that browsers make. */
export function inspectRecording(bytes: Buffer): Recording {
  const webm = webmSeconds(bytes);
  const seconds = webm ?? mp4Seconds(bytes);
  if (seconds === null) throw new AppError('NOT_A_RECORDING');
  if (seconds > limits.voiceSeconds + SLACK_SECONDS) throw new AppError('RECORDING_TOO_LONG');
  return { contentType: webm === null ? 'audio/mp4' : 'audio/webm', seconds: Math.round(seconds * 10) / 10 };
}
