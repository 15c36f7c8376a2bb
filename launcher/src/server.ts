import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from './processes.js';

/** A server that the launcher starts itself. It listens at `uri`. */
export interface EmbeddedServer {
  name: string;
  uri: string;
  command: string;
  args: string[];
  logFile: string;
  /** Returns when the server answers, and throws otherwise. */
  answers: () => Promise<void>;
}

/**
 * Starts it in a separate process group, so that Ctrl-C in a terminal stops the gateway first and the database last.
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

/** Waits until a started server answers. If the server ends, throws an error with the end of its log. */
export async function untilAnswers(server: EmbeddedServer, child: ChildProcess, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (hasEnded(child) || child.pid === undefined)
      throw new Error(`${server.name} did not start. ${tail(server.logFile)}`);
    try {
      return await server.answers();
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`${server.name} does not answer: ${(error as Error).message}`);
    }
    await sleep(50);
  }
}

function tail(file: string): string {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(-5) : [];
  return `The end of ${file}:\n${lines.map((line) => `  ${line.slice(0, 400)}`).join('\n')}`;
}
