import { accessSync, constants, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { freePort } from '@lightbox/launcher/ports.js';
import { endChild } from '@lightbox/launcher/processes.js';
import { spawnServer, untilAnswers } from '@lightbox/launcher/server.js';

/** A server of another project, with a folder and a configuration of its own. */
export interface Peer {
  pid: number;
  port: number;
  stop: () => Promise<void>;
}

export interface Recipe {
  name: string;
  /** The name of the program by which it is found. */
  program: string;
  /** Writes its configuration into the folder. Returns how it is started, by another `command` if there is one. */
  configure: (folder: string, port: number) => { command?: string; args: string[]; env?: Record<string, string> };
}

/** Returns the path of a program, or null. Debian puts servers into a folder that only root has on the PATH. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a peer on a free port of the loopback address. Its folder is in `within`. It ends with this process, even when
 * this one is killed.
 */
export async function startPeer(within: string, { name, program, configure }: Recipe): Promise<Peer> {
  const port = await freePort();
  const folder = join(within, program);
  mkdirSync(folder, { recursive: true });
  const { command = program, args, env = {} } = configure(folder, port);
  const found = findProgram(command);
  if (!found) throw new Error(`${command} is not on the PATH.`);
  const variables = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
  const server = {
    name,
    uri: `127.0.0.1:${port}`,
    command: 'setpriv',
    args: ['--pdeathsig', 'TERM', 'env', ...variables, found, ...args],
    logFile: join(folder, 'output.log'),
    answers: () => isOpen(port),
  };
  const child = spawnServer(server);
  const stop = async () => {
    await endChild(child, 10_000);
  };
  try {
    await untilAnswers(server, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, port, stop };
}

const isOpen = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
