import { type Message, messageCalls } from '@lightbox/contract/messages/calls.js';
import { type VoiceType, voiceTypes } from '@lightbox/contract/messages/voiceTypes.js';
import { send } from '../../lib/http';

/** A recording that is not sent yet. The outbox keeps it as text, beside the messages that wait. */
export interface RecordedVoice {
  contentType: VoiceType;
  seconds: number;
  /** Its bytes in base64. */
  data: string;
}

const codecs: Record<VoiceType, string> = { 'audio/webm': 'audio/webm;codecs=opus', 'audio/mp4': 'audio/mp4' };

/** Returns the type in which this browser records; undefined when it cannot record, or may not on this address. */
export function recordingType(): { contentType: VoiceType; mimeType: string } | undefined {
  if (typeof MediaRecorder === 'undefined' || !navigator.mediaDevices?.getUserMedia) return undefined;
  const contentType = voiceTypes.find((type) => MediaRecorder.isTypeSupported(codecs[type]));
  return contentType && { contentType, mimeType: codecs[contentType] };
}

export async function recorded(bytes: Blob, contentType: VoiceType, seconds: number): Promise<RecordedVoice> {
  const letters = Array.from(new Uint8Array(await bytes.arrayBuffer()), (byte) => String.fromCharCode(byte));
  return { contentType, seconds, data: btoa(letters.join('')) };
}

export const bytesOf = ({ contentType, data }: RecordedVoice): Blob =>
  new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type: contentType });

/** Sends a recording with its form. The same `clientId` again gives the same message. */
export async function sendVoice(voice: RecordedVoice, fields: Record<string, string>): Promise<Message> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', bytesOf(voice), 'voice');
  return (await send(messageCalls.sendVoice, { body })).data;
}
