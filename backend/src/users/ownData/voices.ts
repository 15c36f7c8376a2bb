import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import type { VoiceDoc } from '@lightbox/core/models/voice.js';
import type { Gateway, Viewer } from '../../context.js';
import type { StreamedEntry } from '../../http/zip.js';
import { extensions } from '../../messages/voice/getVoice.js';

type Known = Pick<VoiceDoc, '_id' | 'sender'>;

/** The place of a recording in the zip. */
export const voiceFile = (id: string, contentType: VoiceDoc['contentType']): string =>
  `voice/${id}.${extensions[contentType]}`;

/** Returns the recordings of the viewer's chats, the oldest first. */
export const voicesOf = ({ models }: Gateway, { _id }: Viewer): Promise<Known[]> =>
  models.Voice.find({ $or: [{ sender: _id }, { recipient: _id }] }, { sender: 1 })
    .sort({ _id: 1 })
    .lean<Known[]>();

/** Yields the recordings. One that was removed meanwhile is left out. */
export async function* voiceFiles(
  { models, keys, blobs }: Gateway,
  voices: readonly Known[],
): AsyncGenerator<StreamedEntry> {
  for (const { _id } of voices) {
    const voice = await models.Voice.findById(_id).readConcern(NEWEST).lean<VoiceDoc>();
    if (!voice) continue;
    const { contentType, size, blob, dataKey } = voice;
    const id = String(_id);
    yield {
      name: voiceFile(id, contentType),
      size,
      at: _id.getTimestamp(),
      read: () => blobs.read(blob, unwrapDataKey(keys.images, id, dataKey), size),
    };
  }
}
