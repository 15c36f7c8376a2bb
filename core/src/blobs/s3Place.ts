import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/config.js';
import { PartAway } from '../process/partAway.js';
import { ChunkExists, type ChunkPlace } from './chunkedStore.js';

const PREFIX = 'blobs/';
/** The most that S3 lists or deletes in one call. */
const MOST = 1_000;
/** The time for a connection, and the longest pause in an answer. The client library tries three times. */
const ANSWER_MS = 10_000;

type Sdk = typeof import('@aws-sdk/client-s3');

/** Keeps chunks as objects of a bucket: `blobs/<id>/<number>`. The client library is loaded when it is first needed. */
export class S3Place implements ChunkPlace {
  readonly name = 's3';
  private opened: Promise<{ sdk: Sdk; client: S3Client }> | null = null;

  constructor(
    private readonly config: S3Config,
    private readonly answerMs = ANSWER_MS,
  ) {}

  async put(id: string, index: number, sealed: Buffer): Promise<void> {
    const { sdk, client } = await this.open();
    const object = { ...this.at(id, index), Body: sealed, IfNoneMatch: '*' };
    await client.send(new sdk.PutObjectCommand(object)).catch(async (error) => {
      if (statusOf(error) !== 412 && statusOf(error) !== 409) throw error;
      // The library repeats a call whose answer was lost: the chunk may be the one that it has stored just now.
      if (attemptsOf(error) > 1 && (await this.get(id, index))?.equals(sealed)) return;
      throw new ChunkExists(`Blob ${id} has a chunk ${index}.`);
    });
  }

  async get(id: string, index: number): Promise<Buffer | null> {
    const { sdk, client } = await this.open();
    try {
      const { Body } = await client.send(new sdk.GetObjectCommand(this.at(id, index)));
      return Body ? Buffer.from(await Body.transformToByteArray()) : null;
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  async list(id: string): Promise<number[]> {
    return (await this.keysOf(id)).map((key) => Number(key.slice(key.lastIndexOf('/') + 1)));
  }

  async remove(id: string): Promise<void> {
    const { sdk, client } = await this.open();
    const keys = await this.keysOf(id);
    for (let from = 0; from < keys.length; from += MOST) {
      const Objects = keys.slice(from, from + MOST).map((Key) => ({ Key }));
      const { Errors } = await client.send(
        new sdk.DeleteObjectsCommand({ Bucket: this.config.bucket, Delete: { Objects, Quiet: true } }),
      );
      if (Errors?.length) throw new Error(`S3 kept ${Errors.length} chunks of a deleted blob: ${Errors[0]?.Code}.`);
    }
  }

  async between(after: string, end: string, limit: number): Promise<string[]> {
    const { sdk, client } = await this.open();
    // Beyond all chunks of the id: the digits come before `~`.
    const from = { Bucket: this.config.bucket, Prefix: PREFIX, Delimiter: '/', StartAfter: `${PREFIX}${after}/~` };
    const found: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new sdk.ListObjectsV2Command({ ...from, ...(ContinuationToken ? { ContinuationToken } : {}) }),
      );
      const ids = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix.slice(PREFIX.length, -1));
      found.push(...ids.filter((id) => /^[0-9a-f]{24}$/.test(id) && id > after && id < end));
      ContinuationToken = ids.some((id) => id >= end) ? undefined : page.NextContinuationToken;
    } while (ContinuationToken && found.length < limit);
    return found.slice(0, limit);
  }

  private async keysOf(id: string): Promise<string[]> {
    const { sdk, client } = await this.open();
    const pages = sdk.paginateListObjectsV2({ client }, { Bucket: this.config.bucket, Prefix: `${PREFIX}${id}/` });
    const keys: string[] = [];
    for await (const { Contents } of pages) keys.push(...(Contents ?? []).flatMap(({ Key }) => Key ?? []));
    return keys;
  }

  private at = (id: string, index: number) => ({ Bucket: this.config.bucket, Key: `${PREFIX}${id}/${index}` });

  private open(): Promise<{ sdk: Sdk; client: S3Client }> {
    this.opened ??= this.load().catch((error) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }

  private async load(): Promise<{ sdk: Sdk; client: S3Client }> {
    const sdk = await import('@aws-sdk/client-s3');
    const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle } = this.config;
    const client = new sdk.S3Client({
      ...(endpoint ? { endpoint } : {}),
      region,
      forcePathStyle,
      credentials: { accessKeyId, secretAccessKey },
      // Chunks carry their own tag. Some servers do not know the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: this.answerMs, socketTimeout: this.answerMs },
    });
    client.middlewareStack.add(
      (next) => (call) =>
        next(call).catch((error) => {
          throw isServerAway(error) ? new PartAway('S3 does not answer.', { cause: error }) : error;
        }),
      { step: 'initialize', name: 'lightboxAway' },
    );
    return { sdk, client };
  }
}

/**
 * True for a server that does not answer, is overloaded, or does not let this process in now. A bucket that is gone says
 * nothing about one chunk, unlike the other answers with its status.
 */
function isServerAway(error: { name?: string; $fault?: string }): boolean {
  const status = statusOf(error);
  if (status === undefined || status === 403 || status === 429) return true;
  return error.$fault === 'server' || error.name === 'NoSuchBucket';
}

const attemptsOf = (error: unknown): number =>
  (error as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1;

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
