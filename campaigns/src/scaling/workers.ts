import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { Queue } from 'bullmq';
import { call } from '../bench/client.js';
import { noisePng, uploadForm } from '../bench/files.js';
import type { Person } from '../bench/people.js';
import type { Program } from '../bench/processes.js';
import { judged, plain, type Row, spread } from '../bench/report.js';
import type { Site } from '../bench/site.js';
import { median } from '../bench/stats.js';
import { productTarget, uploadTo } from '../bench/uploads.js';

const ROUNDS = 3;
const PICTURE_BYTES = 512 * 1024;
/** A model of vision needs seconds for a picture. With less than one, drawing the picture for it is the limit. */
const MODEL_MS = 3_000;
/** So long a backlog may take. */
const DRAIN_MS = 10 * 60_000;

/** A queue with one job for each of some pictures. */
interface Backlog {
  queue: 'previews' | 'analysis';
  fill: () => Promise<void>;
  env: Record<string, string>;
}

/** Fills the paused queue, and measures how many jobs a second so many workers do. */
async function rate(site: Site, queue: Queue, { fill, env, queue: name }: Backlog, workers: number): Promise<number> {
  await queue.pause();
  await fill();
  const open = async () => {
    const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  };
  const jobs = await open();
  const failedBefore = await queue.getFailedCount();
  const running: Program[] = [];
  try {
    for (let i = 0; i < workers; i++) running.push(await site.startWorker(name, env));
    const since = performance.now();
    await queue.resume();
    while ((await open()) > 0) {
      if (performance.now() - since > DRAIN_MS) throw new Error(`The queue ${name} was not empty in time.`);
      await sleep(20);
    }
    const took = performance.now() - since;
    // A job that fails at once would count as a fast one.
    const failed = (await queue.getFailedCount()) - failedBefore;
    if (failed > 0) throw new Error(`${failed} of ${jobs} jobs of the queue ${name} failed.`);
    return (jobs * 1000) / took;
  } finally {
    await Promise.all(running.map((worker) => worker.stop()));
  }
}

/** Compares one worker with two, in turn. */
async function doubled(site: Site, job: string, backlog: Backlog, goal: number | null): Promise<Row[]> {
  const connection = connectRedis(site.redisUrl, 'patient');
  const queue = new Queue(backlog.queue, { connection });
  try {
    const [one, two]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      one.push(await rate(site, queue, backlog, 1));
      two.push(await rate(site, queue, backlog, 2));
    }
    const ratio = median(two) / median(one);
    return [
      plain(job, 'one worker, jobs/s', spread(one)),
      plain(job, 'two workers, jobs/s', spread(two)),
      goal === null
        ? plain(job, 'ratio, on one core', ratio)
        : judged(job, 'ratio', ratio, `>= ${goal}`, ratio >= goal),
    ];
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

const upload = async (site: Site, by: Person, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const form = uploadForm(noisePng(PICTURE_BYTES), 'image/png');
    ids.push((await uploadTo(productTarget(site, by), form)).id);
  }
  return ids;
};

/** Drawing previews needs the processor: each worker draws one at a time. */
export const scalePreviews = (site: Site, by: Person): Promise<Row[]> =>
  doubled(
    site,
    'previews, the processor is the limit',
    {
      queue: 'previews',
      env: { WORKER_CONCURRENCY: '1' },
      fill: async () => {
        await upload(site, by, 60);
      },
    },
    cpus().length >= 2 ? 1.4 : null,
  );

/** A model server elsewhere takes most of the time of an analysis. */
export async function scaleAnalyses(site: Site, by: Person): Promise<Row[]> {
  const model = await startModel();
  const env = {
    WORKER_CONCURRENCY: '2',
    AI_PROVIDER: 'openai',
    AI_BASE_URL: model.url,
    AI_MODEL: 'scale',
    // Noise looks like text that names a patient, and would not be sent.
    AI_SEND_BURNED_IN: '1',
  };
  const fill = async () => {
    for (const id of await upload(site, by, 24)) {
      await call(`${site.gateways[0].api}/analyze/${id}`, { token: by.token });
    }
  };
  try {
    return await doubled(site, 'analyses, a model is waited for', { queue: 'analysis', env, fill }, 1.8);
  } finally {
    await model.stop();
  }
}

const findings = {
  description: 'A test picture.',
  differentialDiagnosis: [],
  treatment: [],
  followUp: [],
  warnings: [],
  confidence: 0.5,
};

/** A server with the OpenAI protocol that needs a fixed time for each answer. */
async function startModel() {
  const server = createServer((req, res) => {
    req.resume().on('end', () => setTimeout(() => answer(), MODEL_MS));
    const chunk = (delta: object, finish_reason: string | null) => {
      const choices = [{ index: 0, delta, finish_reason }];
      res.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'scale', choices })}\n\n`,
      );
    };
    const answer = () => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      chunk({ role: 'assistant', content: JSON.stringify(findings) }, null);
      chunk({}, 'stop');
      res.end('data: [DONE]\n\n');
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
