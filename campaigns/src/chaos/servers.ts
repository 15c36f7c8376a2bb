import type { ChildProcess } from 'node:child_process';
import { hasEnded } from '@lightbox/launcher/processes.js';
import { type EmbeddedServer, spawnServer, untilAnswers } from '@lightbox/launcher/server.js';

const running = new Set<ChildProcess>();
// The servers are in their own process groups, so this process must end them when it ends.
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

/** Sends SIGKILL and waits for the end. */
export async function kill(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await ended;
}
