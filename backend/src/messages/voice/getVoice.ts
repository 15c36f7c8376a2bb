import type { messageCalls } from '@lightbox/contract/messages/calls.js';
import { messageRules } from '@lightbox/contract/messages/policy.js';
import type { VoiceType } from '@lightbox/contract/messages/voiceTypes.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { VoiceDoc } from '@lightbox/core/models/voice.js';
import type { Context, Gateway, Reader } from '../../context.js';
import { rangeOf } from '../../http/range.js';
import { stream } from '../../http/stream.js';
import { guarded } from '../../images/imageBytes.js';

export const extensions: Record<VoiceType, string> = { 'audio/webm': 'webm', 'audio/mp4': 'm4a' };

/** Returns a recording that this reader may hear. Throws `NOT_FOUND` for everybody else, and once it was removed. */
async function requireVoice({ models }: Gateway, { id: reader }: Reader, id: string): Promise<VoiceDoc> {
  const voice = await models.Voice.findById(oid(id)).readConcern(NEWEST).lean<VoiceDoc>();
  const people = voice && { sender: String(voice.sender), recipient: String(voice.recipient) };
  if (!people || !messageRules.hear({ id: reader }, people)) throw new AppError('NOT_FOUND');
  return voice;
}

/** Streams a recording, or a range of it. */
export async function getVoice(context: Context<typeof messageCalls.getVoice>): Promise<undefined> {
  const { gateway, viewer, actor, params } = context;
  const { _id, sender, contentType, size, blob, dataKey } = await requireVoice(gateway, viewer, params.id);
  const id = String(_id);
  const range = rangeOf(context, size);
  const { from, to } = range ?? { from: 0, to: size };
  await stream(context, {
    ...(range ? { status: 206 } : {}),
    headers: {
      ...guarded(contentType),
      'Content-Length': String(to - from),
      'Content-Disposition': `attachment; filename="${id}.${extensions[contentType]}"`,
      'Accept-Ranges': 'bytes',
      ...(range ? { 'Content-Range': `bytes ${from}-${to - 1}/${size}` } : {}),
    },
    chunks: gateway.blobs.read(blob, unwrapDataKey(gateway.keys.images, id, dataKey), size, range ?? undefined),
    record: () => gateway.events.record(actor, { type: 'voice.played', record: _id, owners: [sender] }),
    may: (reader) => requireVoice(gateway, reader, params.id),
  });
  return undefined;
}
