/**
 * The child process that decodes other people's files, forked by `renderers.ts`. It has no keys, no database and no
 * environment; the worst it can do is to die, and it sees to that itself when it grows too big.
 */
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { forModel, measurements, preview } from './decode.js';
import type { Answer, Task } from './protocol.js';

const RSS_LIMIT = Number(process.env.RSS_LIMIT);

/** Looks at memory and parent from a thread of its own, for the main one may be deep in a decoder. */
const watchdog = `
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent || process.memoryUsage.rss() > ${RSS_LIMIT}) process.kill(process.pid, 'SIGKILL');
  }, 100);`;

new Worker(watchdog, { eval: true }).unref();
// People who wait for an answer come first: drawing gets what gateways and databases leave.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
sharp.concurrency(1);
sharp.cache(false);

const tasks = { preview, forModel, measurements };

async function answer({ name, bytes, contentType }: Task): Promise<Answer> {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { result: await tasks[name](buffer, contentType) };
  } catch {
    // Decoders throw strings and objects of all kinds; all of them mean that this file cannot be drawn.
    return { unreadable: true };
  }
}

process.on('message', (task: Task) => {
  void answer(task).then((result) => process.send?.({ ...result, rss: process.memoryUsage.rss() }));
});
process.on('disconnect', () => process.exit());
