import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BackupFile } from './manifest.js';
import { allOf, startTool, type Tools } from './tools.js';

/** Writes a stream into a new file, encrypted to the recipient. `source.ended` says whether the stream was whole. */
export async function writeSealed(
  path: string,
  source: { output: Readable; ended: Promise<void> },
  { recipient, tools, signal }: { recipient: string | null; tools: Tools; signal: AbortSignal },
): Promise<BackupFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = async function* (parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      hash.update(part);
      bytes += part.length;
      yield part;
    }
  };
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  if (recipient) {
    const age = startTool(tools, 'age', ['--encrypt', '--recipient', recipient], signal);
    await allOf([
      pipeline(age.output, count, file, { signal }),
      age.ended,
      source.ended,
      pipeline(source.output, age.input, { signal }),
    ]);
  } else await allOf([pipeline(source.output, count, file, { signal }), source.ended]);
  return { name: basename(path), bytes, sha256: hash.digest('hex') };
}

/** Sends the contents of a file into a stream, decrypted with the identity. `reader.ended` says whether it took all. */
export async function readSealed(
  path: string,
  reader: { input: Writable; ended: Promise<void> },
  { identity, tools, signal }: { identity: string | null; tools: Tools; signal: AbortSignal },
): Promise<void> {
  const file = createReadStream(path);
  if (!identity) return allOf([reader.ended, pipeline(file, reader.input, { signal })]);
  const age = startTool(tools, 'age', ['--decrypt', '--identity', identity], signal);
  return allOf([
    age.ended,
    reader.ended,
    pipeline(file, age.input, { signal }),
    pipeline(age.output, reader.input, { signal }),
  ]);
}
