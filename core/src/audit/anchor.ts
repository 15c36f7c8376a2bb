import { appendFile, open } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Head } from './head.js';

const TIMEOUT_MS = 5_000;
/** Read from the end of the file: far more than one line. */
const TAIL_BYTES = 1_024;

/** Returns the fault of AUDIT_ANCHOR in words, or null. */
export function faultOfAnchor(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  const good = url && ((url.protocol === 'file:' && url.host === '') || (url.protocol === 'syslog:' && url.port));
  return good ? null : 'must be file:///absolute/path, or syslog://host:port for a server that accepts syslog over TCP';
}

export const headText = ({ seq, hash }: Head): string => `${seq}:${hash}`;

export function parseHead(text: string): Head | undefined {
  const [, seq, hash] = /(?:^|\s)(\d+):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return seq && hash ? { seq: Number(seq), hash } : undefined;
}

/**
 * Notes a head where a writer of the database cannot reach it: as a line of a file, or at a syslog server (RFC 5424).
 */
export async function anchor(address: string, head: Head, at: Date): Promise<void> {
  const url = new URL(address);
  if (url.protocol === 'file:') return appendFile(fileURLToPath(url), `${at.toISOString()} ${headText(head)}\n`);
  // Facility 13 is "log audit", severity 6 is "informational".
  const line = `<110>1 ${at.toISOString()} ${hostname()} lightbox ${process.pid} AUDITHEAD - ${headText(head)}`;
  // Octet counting (RFC 6587), so that the server cannot read one line as two.
  await send(url.hostname.replace(/^\[|\]$/g, ''), Number(url.port), `${Buffer.byteLength(line)} ${line}`);
}

const send = (host: string, port: number, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('The audit anchor did not answer in time.')));
    socket.once('error', reject);
    socket.once('close', (failed) => !failed && resolve());
    socket.resume();
    socket.end(text);
  });

/** Returns the head that was noted last. Only a file can be read; a syslog server is only written to. */
export async function anchored(address: string | null): Promise<Head[]> {
  if (!address?.startsWith('file:')) return [];
  const file = await open(fileURLToPath(address)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const heads = buffer
      .toString('utf8')
      .split('\n')
      .flatMap((line) => parseHead(line) ?? []);
    return heads.slice(-1);
  } finally {
    await file.close();
  }
}
