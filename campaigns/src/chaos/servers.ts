import type { ChildProcess } from 'node:child_process';
import { hasEnded } from '@lightbox/launcher/processes.js';
import { type EmbeddedServer, spawnServer, untilAnswers } from '@lightbox/launcher/server.js';

const running = new Set<ChildProcess>();
// They are in process groups of their own: whatever ends this process, they do not outlive it.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server and waits until it answers. */
export async function up(server: EmbeddedServer): Promise<ChildProcess> {
  const child = spawnServer(server);
  running.add(child);
  child.once('exit', () => running.delete(child));
  await untilAnswers(server, child);
  return child;
}

/** SIGKILL, and the end awaited. */
export async function kill(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await ended;
}
