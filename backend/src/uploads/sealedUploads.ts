import type { Readable } from 'node:stream';
import { CHUNK, newDataKey, unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { chunksOf } from '@lightbox/core/blobs/store.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { open, seal } from '@lightbox/core/keys/seal.js';
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import { removeUpload } from '@lightbox/core/uploads/removeUpload.js';
import { DataStore, Upload } from '@tus/server';
import type { Gateway, Uploader } from '../context.js';
import { ownerOf } from '../images/admitImage.js';
import { quotaOf } from '../images/storeImage.js';
import { takePlace } from '../requests/holdFile.js';

type Metadata = Record<string, string>;

const metadataContext = (id: ObjectId) => `${id}:upload`;
const tailContext = (id: ObjectId, { chunk, length }: { chunk: number; length: number }) => `${id}:${chunk}:${length}`;

export const keyOf = ({ keys }: Gateway, { _id, dataKey }: UploadDoc): Buffer =>
  unwrapDataKey(keys.images, String(_id), dataKey);

export const metadataOf = (gateway: Gateway, upload: UploadDoc): Metadata =>
  JSON.parse(open(keyOf(gateway, upload), metadataContext(upload._id), bufferOf(upload.metadata)).toString());

/** The uploads of one person, or of one request. */
const uploadsOf = (viewer: Uploader) =>
  viewer.role === 'sender' ? { request: viewer._id } : { owner: viewer._id, request: { $exists: false } };

const findUpload = ({ models }: Gateway, viewer: Uploader, id: string) =>
  models.Upload.findOne({ _id: oid(id), ...uploadsOf(viewer) }).lean<UploadDoc>();

/** Returns one's own upload. Throws `NOT_FOUND`, also for that of others, and `EXPIRED`. */
export async function requireUpload(gateway: Gateway, viewer: Uploader, id: string): Promise<UploadDoc> {
  const upload = await findUpload(gateway, viewer, id);
  if (!upload) throw new AppError('NOT_FOUND');
  if (upload.expiresAt <= gateway.clock.now()) throw new AppError('EXPIRED');
  return upload;
}

/** Takes the space of a new upload from the quota of its owner, and records it. */
export async function recordUpload(
  gateway: Gateway,
  viewer: Uploader,
  id: ObjectId,
  { size, metadata, hours }: { size: number; metadata: Metadata; hours: number },
): Promise<void> {
  const { db, models, clock, keys, usage } = gateway;
  const owner = ownerOf(viewer);
  const request = viewer.role === 'sender' ? viewer : null;
  if (!(await usage.take(owner, size, await quotaOf(gateway)))) throw new AppError('QUOTA_REACHED');
  try {
    const now = clock.now();
    const { key, wrapped } = newDataKey(keys.images, String(id));
    const upload: UploadDoc = {
      _id: id,
      owner,
      ...(request ? { request: request._id } : {}),
      size,
      blob: newId(now),
      dataKey: wrapped,
      metadata: seal(key, metadataContext(id), Buffer.from(JSON.stringify(metadata))),
      stored: false,
      expiresAt: new Date(now.getTime() + hours * HOUR_MS),
    };
    if (!request) await models.Upload.create([upload]);
    // A place without an upload would stay taken, and a request for one file would take no other.
    else
      await db.transaction(async (session) => {
        await takePlace(gateway, request, size, session);
        await models.Upload.create([upload], { session });
      });
  } catch (error) {
    await usage.giveBackAfter(error, owner, size);
    throw error;
  }
}

/** The extensions of the protocol that this server has. */
export const tusExtensions = ['creation', 'termination', 'expiration'];

/**
 * Keeps the bytes of resumable uploads of one uploader as chunks of the blob that their image will have: sealed with its key as they
 * arrive, and stored once. Bytes behind the last whole chunk wait in the record of the upload. All state is in MongoDB, so
 * any gateway can go on. The number of stored chunks is the truth: a crash between a chunk and the record loses nothing.
 */
export class SealedUploads extends DataStore {
  override extensions = tusExtensions;

  constructor(
    private readonly gateway: Gateway,
    private readonly viewer: Uploader,
  ) {
    super();
  }

  override async getUpload(id: string): Promise<Upload> {
    const upload = await this.find(id);
    const { offset } = await this.state(upload);
    return new Upload({ id, size: upload.size, offset, metadata: metadataOf(this.gateway, upload) });
  }

  /** Stores bytes from `offset` on. A stream that is cut short ends early: what has arrived is kept. */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const upload = await this.find(id);
    const key = keyOf(this.gateway, upload);
    const state = await this.state(upload);
    if (state.offset !== offset) throw new AppError('CONFLICT');
    const last = chunksOf(upload.size) - 1;
    let parts = state.tail.length > 0 ? [state.tail] : [];
    let length = state.tail.length;
    let index = state.chunks;
    const store = async (plain: Buffer) => {
      await this.gateway.blobs.writeChunk(upload.blob, key, { index, last: index === last, plain }).catch((error) => {
        if (!isDuplicate(error)) throw error;
        return this.requireSame(upload, key, index * CHUNK, plain);
      });
      index += 1;
    };
    for await (const part of stream as AsyncIterable<Buffer>) {
      let rest = part;
      while (length + rest.length >= CHUNK) {
        const cut = CHUNK - length;
        await store(Buffer.concat([...parts, rest.subarray(0, cut)], CHUNK));
        rest = rest.subarray(cut);
        parts = [];
        length = 0;
      }
      if (rest.length > 0) parts.push(rest);
      length += rest.length;
    }
    const tail = Buffer.concat(parts, length);
    if (index === last && index * CHUNK + length === upload.size) await store(tail);
    else await this.keepTail(upload._id, key, index, tail);
    return Math.min(upload.size, index * CHUNK + (index > last ? 0 : length));
  }

  override async remove(id: string): Promise<void> {
    await removeUpload(this.gateway, await this.find(id));
  }

  /**
   * Throws `CONFLICT` unless the bytes at a place are stored already. They are when a failover has lost an earlier chunk: the
   * upload goes on from the lost one. Other bytes are those of another request, and the client asks again for the offset.
   */
  private async requireSame({ blob, size }: UploadDoc, key: Buffer, from: number, plain: Buffer): Promise<void> {
    const stored: Buffer[] = [];
    for await (const part of this.gateway.blobs.read(blob, key, size, { from, to: from + plain.length }))
      stored.push(part);
    if (!Buffer.concat(stored).equals(plain)) throw new AppError('CONFLICT');
  }

  private async keepTail(id: ObjectId, key: Buffer, chunk: number, bytes: Buffer): Promise<void> {
    const place = { chunk, length: bytes.length };
    const tail = { ...place, sealed: seal(key, tailContext(id, place), bytes) };
    await this.gateway.models.Upload.updateOne(
      { _id: id },
      bytes.length > 0 ? { $set: { tail } } : { $unset: { tail } },
    );
  }

  private async state(upload: UploadDoc): Promise<{ chunks: number; tail: Buffer; offset: number }> {
    const chunks = await this.gateway.blobs.countChunks(upload.blob);
    const { tail } = upload;
    const bytes =
      tail?.chunk === chunks
        ? open(keyOf(this.gateway, upload), tailContext(upload._id, tail), bufferOf(tail.sealed))
        : Buffer.alloc(0);
    return { chunks, tail: bytes, offset: Math.min(upload.size, chunks * CHUNK + bytes.length) };
  }

  private async find(id: string): Promise<UploadDoc> {
    const upload = await findUpload(this.gateway, this.viewer, id);
    if (!upload) throw new AppError('NOT_FOUND');
    return upload;
  }
}
