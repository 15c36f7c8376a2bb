import { type Omitted, type Sorted, sort } from './plan';
import { headOf } from './reader';
import type { FileHead } from './reading';
import { fromFile, type Source } from './sources';
import type { Zip, ZipFault } from './zip';

/** Enough for the header of nearly every file; some have long lists before the study. */
const headBytes = 64 * 1024;
const longHeadBytes = 1024 ** 2;
/** Files that are read at the same time. */
const atOnce = 3;

export interface LockedZip {
  name: string;
  zip: Zip;
}
export interface RefusedZip {
  name: string;
  fault: ZipFault;
}

export interface Readings {
  sorted: Sorted[];
  omitted: Omitted[];
  locked: LockedZip[];
  refused: RefusedZip[];
  /** Files of which the header is read, and all of them. */
  done: number;
  total: number;
}

export const nothingRead = (): Readings => ({ sorted: [], omitted: [], locked: [], refused: [], done: 0, total: 0 });

let last = 0;

async function readHead(source: Source): Promise<FileHead> {
  const head = await headOf(await source.head(headBytes));
  const cutOff = head.kind === 'dicom' && !head.dicom && source.size > headBytes;
  return cutOff ? headOf(await source.head(longHeadBytes)) : head;
}

async function openArchive(into: Readings, file: File): Promise<Source[]> {
  const { openZip, ZipError } = await import('./zip');
  try {
    const zip = await openZip(file);
    if (!zip.encrypted) return zip.sources;
    into.locked.push({ name: file.name, zip });
  } catch (error) {
    into.refused.push({ name: file.name, fault: error instanceof ZipError ? error.fault : 'damaged' });
  }
  return [];
}

/** Reads the first bytes of one file. A zip that the person chose is opened, one inside a zip is not. */
async function readOne(into: Readings, source: Source, maxBytes: number, file?: File): Promise<Source[]> {
  if (!source.size) {
    into.omitted.push({ source, reason: 'empty' });
    return [];
  }
  try {
    const head = await readHead(source);
    if (head.kind === 'zip' && file) return await openArchive(into, file);
    const one = sort(`file-${++last}`, source, head, maxBytes);
    if ('reason' in one) into.omitted.push(one);
    else into.sorted.push(one);
  } catch {
    into.omitted.push({ source, reason: 'unreadable' });
  }
  return [];
}

/** Reads the headers of all files, some at a time, and calls `onChange` after each. */
async function readAll(
  into: Readings,
  list: readonly { source: Source; file?: File }[],
  maxBytes: number,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  into.total += list.length;
  const rest = [...list];
  const work = async () => {
    for (let next = rest.shift(); next && !signal.aborted; next = rest.shift()) {
      const inside = await readOne(into, next.source, maxBytes, next.file);
      into.done += 1;
      onChange();
      if (inside.length) await readSources(into, inside, maxBytes, onChange, signal);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

export const readFiles = (into: Readings, files: File[], maxBytes: number, onChange: () => void, signal: AbortSignal) =>
  readAll(
    into,
    files.map((file) => ({ source: fromFile(file), file })),
    maxBytes,
    onChange,
    signal,
  );

export const readSources = (
  into: Readings,
  sources: Source[],
  maxBytes: number,
  onChange: () => void,
  signal: AbortSignal,
) =>
  readAll(
    into,
    sources.map((source) => ({ source })),
    maxBytes,
    onChange,
    signal,
  );
