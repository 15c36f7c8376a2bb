/**
 * The child process that decodes foreign files. `renderers.ts` starts it, in a sandbox if the machine has one. It has no
 * keys, no database and no environment. It reads tasks from file descriptor 3 and writes its answers there.
 */
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { blackOut } from './blackOut.js';
import { drawFrame, forModel, measurements, photo, pixels } from './decode.js';
import { type Frame, readFrames, writeFrame } from './frames.js';
import { lowerPriority } from './lowPriority.js';
import { prepare } from './prepare.js';
import {
  type AnswerHeader,
  answerOf,
  type Task,
  TaskHeader,
  type TaskName,
  type Tasks,
  taskLimits,
} from './protocol.js';

const RSS_LIMIT = Number(process.env.RSS_LIMIT);

/** Watches memory and parent in a separate thread, because a decoder may block the main thread. */
const watchdog = `
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent || process.memoryUsage.rss() > ${RSS_LIMIT}) process.kill(process.pid, 'SIGKILL');
  }, 100);`;

new Worker(watchdog, { eval: true }).unref();
lowerPriority();
sharp.concurrency(1);
sharp.cache(false);

type Given = Pick<Task, 'choice' | 'grid' | 'rectangles'>;
type Draw = { [Name in TaskName]: (bytes: Buffer, contentType: string, given: Given) => Promise<Tasks[Name]> };

const sendPart = (part: Buffer): Promise<void> => writeFrame(channel, { part: true } satisfies AnswerHeader, part);

const tasks: Draw = {
  prepare: (bytes, contentType) => prepare(bytes, contentType, sendPart),
  frame: (bytes, contentType, { choice = { frame: 1 } }) => drawFrame(bytes, contentType, choice),
  photo,
  forModel,
  pixels: (bytes, contentType, { grid }) => pixels(bytes, contentType, grid),
  measurements,
  blackOut: (bytes, contentType, { rectangles = [] }) => blackOut(bytes, contentType, rectangles, sendPart),
};

async function answer({ header, body }: Frame): Promise<{ header: AnswerHeader; body?: Buffer }> {
  try {
    const { name, contentType, ...given } = TaskHeader.parse(header);
    return answerOf(name, await tasks[name](body, contentType, given));
  } catch {
    // Decoders throw strings and objects of all kinds. Each of them means that this file cannot be drawn.
    return { header: { unreadable: true } };
  }
}

const channel = new Socket({ fd: 3, readable: true, writable: true });
await writeFrame(channel, { ready: true });
for await (const task of readFrames(channel, taskLimits)) {
  const { header, body } = await answer(task);
  await writeFrame(channel, { ...header, rss: process.memoryUsage.rss() }, body);
}
process.exit();
