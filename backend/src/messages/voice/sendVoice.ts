import { createHash } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { type Message, messageCalls } from '@lightbox/contract/messages/calls.js';
import { texts } from '@lightbox/contract/texts.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import { newDataKey } from '@lightbox/core/blobs/cipher.js';
import { isStored } from '@lightbox/core/blobs/isStored.js';
import type { WrittenBlob } from '@lightbox/core/blobs/store.js';
import { newId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { conversationOf } from '@lightbox/core/messages/messages.js';
import type { Answer, Context } from '../../context.js';
import { asAppError } from '../../http/errors.js';
import { type FormFile, readForm } from '../../http/form.js';
import { bindKey } from '../../http/handle.js';
import { fieldErrors, tryParse } from '../../http/validate.js';
import { findSent, type Sent, writeMessageWith } from '../messageWriter.js';
import { requirePartner } from '../partner.js';
import { presentMessage } from '../present.js';
import { requireQuoted } from '../quotes.js';
import { repeatable, requireSame, statusOf } from '../requestKey.js';
import { announce } from '../sendMessage.js';
import { inspectRecording } from './recording.js';

type Call = typeof messageCalls.sendVoice;

/**
 * Stores a recording and its message. The bytes are sealed and stored first; record and message follow in one
 * transaction, so there is never one without the other. Bytes that never get a record are removed, here or by
 * maintenance.
 */
export async function sendVoice(context: Context<Call>): Promise<Answer<Message>> {
  const { gateway, viewer, req } = context;
  await gateway.throttle.take('message', { caller: viewer.id });
  const giveBack = await gateway.diskReserve.take(limits.voiceBytes);
  if (!giveBack) throw new AppError('STORAGE_FULL');
  try {
    let recording: Buffer | undefined;
    const fields = await readForm(req, {
      file: 'file',
      fileBytes: limits.voiceBytes,
      onFile: async (file) => {
        recording = await readWhole(file);
      },
    });
    const sent = await store(context, fields, recording);
    if (sent.created) announce(gateway, sent.message);
    const { message, created } = sent;
    return { data: await presentMessage(gateway, viewer, message), status: statusOf(created, fields.clientId) };
  } finally {
    giveBack();
  }
}

/** Reads a recording whole: it is not larger than the two chunks that any upload holds. */
async function readWhole({ stream }: FormFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  if (stream.truncated) throw new AppError('RECORDING_TOO_LONG');
  return Buffer.concat(parts);
}

async function store(
  { gateway, viewer, actor }: Context<Call>,
  fields: Record<string, string>,
  recording: Buffer | undefined,
): Promise<Sent> {
  const parsed = tryParse(messageCalls.sendVoice.body, fields);
  const errors = parsed.success ? [] : fieldErrors(parsed.error.issues);
  if (!recording) errors.push({ field: 'file', message: texts.fileRequired });
  if (!parsed.success || !recording) throw new AppError('VALIDATION_FAILED', { errors });

  const { recipientId, replyTo, clientId } = parsed.data;
  const bound = bindKey(gateway, actor, JSON.stringify([recipientId, replyTo, hashOf(recording)]));
  const { models, keys, blobs, clock } = gateway;
  const { _id: sender } = viewer;
  const { _id: recipient } = await requirePartner(gateway, viewer, recipientId);
  const quoted = await requireQuoted(gateway, conversationOf(sender, recipient), replyTo);
  const _id = newId(clock.now());
  const facts = inspectRecording(recording);
  const draft = {
    sender,
    recipient,
    content: '',
    ...(quoted ? { replyTo: quoted } : {}),
    voice: { id: _id, ...facts },
    ...repeatable(bound, clientId),
  };
  const earlier = await findSent(gateway, draft);
  if (earlier) {
    requireSame(draft, earlier);
    return { message: earlier, created: false };
  }

  const { key, wrapped } = newDataKey(keys.images, String(_id));
  // Maintenance reads from the time in the id which blobs without a record are old enough to be removed.
  const blob = await blobs.write(newId(clock.now()), key, only(recording));
  const remove = ({ id }: WrittenBlob) => blobs.delete(id).catch(() => undefined);
  try {
    const sent = await writeMessageWith(gateway, actor, draft, async (tx, message) => {
      if (!(await holdUser(models, { _id: recipient }, tx.session))) throw new AppError('NOT_FOUND');
      const record = {
        _id,
        message: message._id,
        sender,
        recipient,
        contentType: facts.contentType,
        size: recording.length,
        blob: blob.id,
        dataKey: wrapped,
      };
      await models.Voice.create([record], { session: tx.session });
      if (!(await isStored(gateway, blob, tx.session))) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
      tx.record({ type: 'voice.sent', record: _id, owners: [sender] });
    });
    if (sent.created) return sent;
    await remove(blob);
    requireSame(draft, sent.message);
    return sent;
  } catch (error) {
    // After a fault of the server the transaction may have been committed all the same; a repetition finds it then.
    if (asAppError(error).status < 500) await remove(blob);
    throw error;
  }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url');

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
