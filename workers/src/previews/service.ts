import { once } from 'node:events';
import { chmodSync, rmSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Logger } from '@lightbox/core/process/log.js';
import { readFrames, writeFrame } from './frames.js';
import { type AnswerHeader, answerOf, TaskHeader, taskLimits } from './protocol.js';
import { RenderCrashed, type Renderer, RendererAway } from './renderer.js';

export interface RenderService {
  /** False when something in the folder of the socket has changed: another program may answer in place of this service. */
  hasItsSocket: () => boolean;
  stop: () => Promise<void>;
}

/** The service refuses more files at once, and workers retry them. */
const MAX_CONNECTIONS = 16;

/**
 * Starts the service that decodes foreign files for workers, on a Unix socket. It has no keys, no database and no network,
 * so a file that takes it over finds nothing. Each connection carries one task and its answer.
 */
export async function startRenderService(path: string, renderer: Renderer, log: Logger): Promise<RenderService> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    serve(socket, renderer).catch(() => log.warn('a task was interrupted'));
  });
  server.maxConnections = MAX_CONNECTIONS;
  // A killed service does not remove its socket.
  rmSync(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  // Workers run as another user. Only workers have access to the folder of the socket.
  chmodSync(path, 0o666);
  const own = stateOf(path);
  return {
    hasItsSocket: () => stateOf(path) === own,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      await renderer.close();
      for (const socket of open) socket.end();
      await closed;
    },
  };
}

/**
 * Returns which socket lies there, and when a name in its folder changed last. Nobody can set that time back, so the state
 * also tells of a socket that was replaced for a moment.
 */
function stateOf(path: string): string {
  const socket = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${socket?.ino} ${statSync(dirname(path), { bigint: true }).ctimeNs}`;
}

async function serve(socket: Socket, renderer: Renderer): Promise<void> {
  for await (const { header, body } of readFrames(socket, taskLimits)) {
    const { name, contentType, choice, grid, rectangles, tells } = TaskHeader.parse(header);
    // Its worker counts a death of this process from here on as one of the file's.
    const onBegin = () => {
      if (tells) writeFrame(socket, { begun: true } satisfies AnswerHeader).catch(() => undefined);
    };
    const onPart = (part: Buffer) => writeFrame(socket, { part: true } satisfies AnswerHeader, part);
    try {
      const result = await renderer.run(name, body, contentType, {
        ...(choice ? { choice } : {}),
        ...(grid ? { grid } : {}),
        ...(rectangles ? { rectangles } : {}),
        onBegin,
        onPart,
      });
      const answer = result ? answerOf(name, result) : { header: { unreadable: true } satisfies AnswerHeader };
      await writeFrame(socket, answer.header, 'body' in answer ? answer.body : undefined);
    } catch (error) {
      if (error instanceof RendererAway && tells) await writeFrame(socket, { stopping: true } satisfies AnswerHeader);
      if (!(error instanceof RenderCrashed)) throw error;
      await writeFrame(socket, { crashed: error.message } satisfies AnswerHeader);
    }
  }
}
