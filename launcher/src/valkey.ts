import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { EmbeddedServer } from './server.js';

/** Stores all data in an append-only file, and never evicts jobs to free memory. */
export function valkeyServer(binary: string, folder: string, port: number): EmbeddedServer {
  const dir = join(folder, 'valkey');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return {
    name: 'Valkey',
    uri: `redis://127.0.0.1:${port}/0`,
    command: binary,
    args: [
      ...['--port', String(port), '--bind', '127.0.0.1', '--protected-mode', 'yes', '--dir', dir],
      ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--maxmemory-policy', 'noeviction'],
      ...['--databases', '64', '--daemonize', 'no', '--set-proc-title', 'no'],
    ],
    logFile: join(folder, 'logs', 'valkey.log'),
    answers: () => ping(port),
  };
}

/** Valkey answers PONG when it has read the append-only file. Until then it answers LOADING. */
function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(1000, () => socket.destroy(new Error('no answer in a second')));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      if (answer.toString().startsWith('+PONG')) resolve();
      else reject(new Error(answer.toString().trim()));
    });
  });
}
