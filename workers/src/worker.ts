import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { QueueName } from '@lightbox/contract/queues.js';
import type { Config } from '@lightbox/core/config/config.js';
import { assembleCore, type Core, prepareCore } from '@lightbox/core/core.js';
import { startOps } from '@lightbox/core/process/ops.js';
import { PartAway } from '@lightbox/core/process/partAway.js';
import type { Worker } from 'bullmq';
import { createTransport } from 'nodemailer';
import { selectProvider } from './analysis/providers/select.js';
import { keepSchedule } from './maintenance/schedule.js';
import { sweepAudit, sweepEvents } from './maintenance/sweepEvents.js';
import { createPoster } from './net/poster.js';
import { pause } from './pause.js';
import { type Isolation, openPictures } from './previews/preview.js';
import { createPushSender } from './push/sender.js';
import { runQueue } from './runner.js';

export interface RunningWorker {
  core: Core;
  /** Resolves when the worker runs, and rejects when it cannot start. */
  ready: Promise<void>;
  stop: () => Promise<void>;
}

const SWEEP_MS = 400;
/**
 * Timeouts for a mail server that does not answer, so that it does not block the queue. SMTP_URL can override them. A server
 * may take ten minutes to accept a text that it has, and who gives up earlier sends it again (RFC 5321, 4.5.3.2.6).
 */
const mailTimeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 600_000 };
/** The time for a running job to end when the worker stops. */
const DRAIN_MS = 5_000;
const LOOPS_DRAIN_MS = 2_000;

/** Starts a worker. It begins to work when MongoDB is there and has its collections, indexes and defaults. */
export async function startWorker(config: Config): Promise<RunningWorker> {
  const core = assembleCore(config, 'worker');
  const stopping = new AbortController();
  // Each loop, each job and each mail adds a listener.
  setMaxListeners(0, stopping.signal);
  const ofEachMail = { from: config.mailFrom, signal: stopping.signal };
  const mailer = createTransport({ ...mailTimeouts, url: config.smtpUrl }, ofEachMail);
  const pushSender = createPushSender(config);
  const webhookPoster = createPoster(config.webhookOrigins);
  const pictures = await openPictures(config.rendererSocket, config.dataDir);
  if (config.worker.queues.some((queue) => decoding.has(queue))) logIsolation(core, pictures.isolation);
  const tools = { core, mailer, provider: selectProvider(config.ai), pictures, pushSender, webhookPoster };
  let workers: Worker[] = [];
  let loops: Promise<void>[] = [];
  const stopOps = await startOps(core, () => stopping.signal.aborted);
  const ready = core.startUp
    .run(() => prepareCore(core))
    .then(() => {
      workers = config.worker.queues.map((queue) => runQueue(queue, tools, stopping.signal));
      if (config.worker.queues.includes('maintenance')) loops = maintain(core, stopping.signal);
    });
  // The caller may attach later: avoid an unhandledRejection.
  ready.catch(() => undefined);
  return {
    core,
    ready,
    stop: async () => {
      core.startUp.stop();
      const closing = Promise.all(workers.map((worker) => worker.close()));
      // Jobs get time to finish. A longer job is put off without an attempt, and another worker takes it up.
      await Promise.race([closing, setTimeout(DRAIN_MS)]);
      stopping.abort(new PartAway('The worker is stopping.'));
      await pictures.close();
      await closing;
      // Maintenance that takes longer is interrupted. Another worker does the rest.
      await Promise.race([Promise.all(loops), setTimeout(LOOPS_DRAIN_MS)]);
      await stopOps();
      mailer.close();
      pushSender?.close();
      webhookPoster.close();
      await core.close();
    },
  };
}

/** The queues whose jobs decode foreign files. */
const decoding = new Set<QueueName>(['previews', 'analysis']);

function logIsolation(core: Core, isolation: Isolation): void {
  if (isolation === 'none') {
    core.log.warn(
      'This machine has no sandbox: a file that takes over its decoder can read the keys of this worker. ' +
        'Install bubblewrap, allow user namespaces, or run the renderer in a container or under another account ' +
        '(RENDERER_SOCKET, docs/security.md).',
    );
  } else if (isolation === 'service') {
    // Its own log says what protects it: this worker cannot see the account and the machine of the renderer.
    core.log.info({ isolation }, 'foreign files are decoded by the renderer of RENDERER_SOCKET');
  } else core.log.info({ isolation }, 'foreign files are decoded apart from the keys');
}

const maintain = (core: Core, signal: AbortSignal): Promise<void>[] => [
  every(SWEEP_MS, signal, core, () => sweepEvents(core)),
  every(SWEEP_MS * 5, signal, core, () => sweepAudit(core)),
  ...keepSchedule(core, signal),
];

async function every(ms: number, signal: AbortSignal, core: Core, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error) => core.warn(error, 'a sweep failed; trying again'));
    await pause(ms, signal);
  }
}
