import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { AuditFault } from '@lightbox/contract/audit/faults.js';
import { mongo } from 'mongoose';
import { isSame } from '../keys/isSame.js';
import { isSigned, type KeyRing, type Signature, sign } from '../keys/keyring.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import { Refused } from '../process/refused.js';
import { syncFolder } from '../process/syncFolder.js';
import type { Base } from './base.js';
import { isWhole, reports } from './entry.js';
import type { Checkpoint, Head } from './head.js';

const { EJSON } = mongo.BSON;
const FORMAT = 'lightbox-audit-archive-1';

/** The last line of an archive. `after` is the entry that its first one follows. */
type End = Omit<Base, 'removed'> & { after: Head };

const archiveKeys = (audit: KeyRing): KeyRing => audit.derive('archive');
const partsOf = ({ after, seq, hash, found, from, until }: End) => [
  ...[FORMAT, String(after.seq), after.hash, String(seq), hash],
  ...[found ? `${found.seq}:${found.fault}` : '', String(from), until.toISOString()],
];

/** An archive that is not whole, in words. */
export class BrokenArchive extends Error {}

/** Follows a chain: throws at an entry that does not continue it. */
class Follower {
  at: Checkpoint;
  until = new Date(0);

  constructor(
    private readonly ring: KeyRing,
    readonly after: Checkpoint,
  ) {
    this.at = after;
  }

  follow(entry: AuditEntryDoc): void {
    const { seq, hash } = this.at;
    if (entry.seq !== seq + 1) throw new BrokenArchive(`Entry ${seq + 1} is missing.`);
    if (!isWhole(this.ring, hash, entry)) throw new BrokenArchive(`Entry ${entry.seq} was changed.`);
    const fault: AuditFault | undefined = reports[entry.type];
    const found = this.at.found ?? (fault ? { seq: entry.seq, fault } : undefined);
    this.at = { seq: entry.seq, hash: entry.hash, ...(found ? { found } : {}) };
    if (entry.at > this.until) this.until = entry.at;
  }

  get end(): End {
    const { seq, hash } = this.after;
    return { ...this.at, from: seq + 1, until: this.until, after: { seq, hash } };
  }
}

async function writeLines(file: FileHandle, follower: Follower, ring: KeyRing, entries: AsyncIterable<AuditEntryDoc>) {
  const { seq, hash } = follower.after;
  await file.write(`${EJSON.stringify({ format: FORMAT, after: { seq, hash } })}\n`);
  for await (const entry of entries) {
    follower.follow(entry);
    await file.write(`${EJSON.stringify(entry)}\n`);
  }
  const { end } = follower;
  await file.write(`${EJSON.stringify({ end, ...sign(archiveKeys(ring), ...partsOf(end)) })}\n`);
  await file.sync();
}

/**
 * Writes entries to a new file of JSON lines with a signed end, and reads it back. The file gets its name when all of it
 * is whole. Throws at the first entry that does not continue the chain, and leaves no file.
 */
export async function writeArchive(
  to: string,
  ring: KeyRing,
  after: Checkpoint,
  entries: AsyncIterable<AuditEntryDoc>,
): Promise<End> {
  // Its own, also beside another run that writes the same archive.
  const part = `${to}.${process.pid}-${randomBytes(4).toString('hex')}.part`;
  try {
    const file = await open(part, 'w', 0o600);
    await writeLines(file, new Follower(ring, after), ring, entries).finally(() => file.close());
    const end = await readArchive(part, ring, after.found);
    await giveName(part, to);
    await syncFolder(dirname(to));
    return end;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Never replaces a file: its entries may be in no database any more. */
async function giveName(part: string, to: string): Promise<void> {
  try {
    await link(part, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Refused('Another run has written this file meanwhile. Nothing is removed.');
    // A disk without hard links.
    return rename(part, to);
  }
  await rm(part);
}

interface Line {
  format?: string;
  after?: Head;
  end?: End;
}

const parsed = (line: string, number: number): Line & Partial<AuditEntryDoc> & Partial<Signature> => {
  try {
    return EJSON.parse(line);
  } catch {
    throw new BrokenArchive(`Line ${number} is not JSON.`);
  }
};

/** Reads an archive, recomputes its chain, and compares it with its signed end. Throws `BrokenArchive`. */
export async function readArchive(path: string, ring: KeyRing, found?: Checkpoint['found']): Promise<End> {
  let follower: Follower | null = null;
  let end: End | null = null;
  let number = 0;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const text of lines) {
    const line = parsed(text, ++number);
    if (end) throw new BrokenArchive('A line follows the signed end.');
    if (!follower) {
      const { format, after } = line;
      if (format !== FORMAT || typeof after?.seq !== 'number' || typeof after.hash !== 'string')
        throw new BrokenArchive('The file is not an archive of the audit log.');
      follower = new Follower(ring, { ...after, ...(found ? { found } : {}) });
    } else if (line.end) end = signedEnd(ring, { ...line, end: line.end }, follower.end);
    else follower.follow(line as AuditEntryDoc);
  }
  if (!end) throw new BrokenArchive('The signed end is missing.');
  return end;
}

function signedEnd(ring: KeyRing, line: { end: End } & Partial<Signature>, read: End): End {
  const { end } = line;
  try {
    if (!isSigned(archiveKeys(ring), line, ...partsOf(end)))
      throw new BrokenArchive('The end is not signed by our key.');
  } catch (error) {
    if (error instanceof BrokenArchive) throw error;
    throw new BrokenArchive('The end is not complete.');
  }
  const same = end.seq === read.seq && isSame(end.hash, read.hash) && isSame(end.after.hash, read.after.hash);
  if (!same || end.after.seq !== read.after.seq || end.from !== read.from)
    throw new BrokenArchive(`The signed end names entry ${end.seq}, and the file ends at entry ${read.seq}.`);
  return end;
}
