import type { VoiceType } from '@lightbox/contract/messages/voiceTypes.js';
import { type Id, id, number, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** The recording of a voice message. It is written in the transaction of its message. */
export interface VoiceDoc {
  _id: Id;
  message: Id;
  sender: Id;
  recipient: Id;
  contentType: VoiceType;
  size: number;
  blob: Id;
  dataKey: SealedValue;
}

export const voice = schemaOf<VoiceDoc>({
  message: id,
  sender: id,
  recipient: id,
  contentType: string,
  size: number,
  blob: id,
  dataKey: { type: sealedValue, required: true },
})
  .index({ sender: 1 })
  .index({ recipient: 1 })
  .index({ blob: 1 })
  .index({ 'dataKey.keyId': 1 });
