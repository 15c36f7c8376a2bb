import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from './processes.js';

/** One of the servers that Lightbox brings along, told how to start; it answers at `uri`. */
export interface EmbeddedServer {
  name: string;
  uri: string;
  command: string;
  args: string[];
  logFile: string;
  /** Returns once it answers, and throws while it does not. */
  answers: () => Promise<void>;
}

/**
 * Starts it in a process group of its own, so that Ctrl-C in a terminal reaches the gateway first and the database last.
 */
export function spawnServer(server: EmbeddedServer): ChildProcess {
  mkdirSync(dirname(server.logFile), { recursive: true });
  const log = openSync(server.logFile, 'a');
  const child = spawn(server.command, server.args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  // A program that cannot be started at all is reported by `untilAnswers`.
  child.on('error', () => {});
  return child;
}

/** Waits until a started server answers; if it ends instead, throws with the last it had to say. */
export async function untilAnswers(server: EmbeddedServer, child: ChildProcess, patience = 60_000): Promise<void> {
  const deadline = Date.now() + patience;
  for (;;) {
    if (hasEnded(child) || child.pid === undefined)
      throw new Error(`${server.name} did not start. ${tail(server.logFile)}`);
    try {
      return await server.answers();
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`${server.name} does not answer: ${(error as Error).message}`);
    }
    await sleep(50);
  }
}

function tail(file: string): string {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(-5) : [];
  return `The end of ${file}:\n${lines.map((line) => `  ${line.slice(0, 400)}`).join('\n')}`;
}
