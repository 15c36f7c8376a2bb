import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Account, type Encounters } from '@lightbox/campaigns/chaos/account.js';
import { enterPeople, password } from '@lightbox/campaigns/chaos/people.js';
import { uploadOne } from '@lightbox/campaigns/chaos/uploader.js';
import type { Env } from '@lightbox/core/config/env.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { createCore } from '@lightbox/core/core.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SunkSpan, startOtlpSink } from './otlpSink.js';
import { type RunningProcess, startProcess } from './testing.js';

/** Gateway and worker as processes of their own, and a collector that keeps what they send. */
let sink: Awaited<ReturnType<typeof startOtlpSink>>;
let mailbox: Mailbox;
const processes: RunningProcess[] = [];
let env: Env;
let loaded: string;

/** Writes the names of all loaded modules when the process is asked. OpenTelemetry's packages are CommonJS. */
const watcher = `import { createRequire } from 'node:module';
const { cache } = createRequire(import.meta.url);
process.on('message', () => process.send({ modules: Object.keys(cache) }));`;

beforeAll(async () => {
  [sink, mailbox] = [await startOtlpSink(), await startMailbox()];
  const { mongodbUri, redisUrl, dataDir } = await testConfig();
  loaded = join(mkdtempSync(join(dataDir, 'traces-')), 'watcher.mjs');
  writeFileSync(loaded, watcher);
  env = {
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
    SMTP_URL: mailbox.url,
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
    ADMIN_EMAIL: 'admin@traces.example',
    ADMIN_PASSWORD: password,
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'debug',
    NODE_OPTIONS: `--import ${loaded}`,
  };
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await Promise.all([sink?.stop(), mailbox?.stop()]);
});

const run = async (main: 'backend' | 'workers', changes: Env) => {
  const port = String(await freePort());
  const running = await startProcess(main, { ...env, PORT: port, ...changes });
  processes.push(running);
  return { ...running, origin: `http://127.0.0.1:${port}` };
};

const telemetryModules = async ({ child }: RunningProcess): Promise<string[]> => {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(10_000) });
  child.send('modules');
  const [{ modules }] = (await answered) as [{ modules: string[] }];
  return modules.filter((name) => /@opentelemetry\/(?!api\/)/.test(name));
};

const named = (name: string): SunkSpan | undefined => sink.spans.find((span) => span.name === name);
const lines = ({ output }: RunningProcess): Record<string, unknown>[] =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

describe('traces', () => {
  it('of an upload go from the call over the hand-over to the jobs and the push, with one id in the log of each process', async () => {
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url };
    const gateway = await run('backend', traced);
    const worker = await run('workers', traced);
    const core = await createCore(
      (await import('@lightbox/core/config/env.js')).loadConfig({ ...env, LOG_LEVEL: 'silent' }),
      'test',
    );
    const met: Encounters = { faults: [], repeats: 0, refused: [] };
    const { providers, patients } = await enterPeople(core, 1, 1).finally(core.close);
    const [provider, patient] = [new Account([gateway.origin], met), new Account([gateway.origin], met)];
    await provider.signIn(providers[0] as string, password, mailbox);
    await patient.signIn(patients[0] as string, password, mailbox);
    const socket = io(gateway.origin, { auth: { token: provider.bearer }, transports: ['websocket'] });
    await once(socket as never, 'connect');
    const { id } = await uploadOne(provider, 0, patient.id);
    await eventually(() => expect(lines(worker).some(({ job }) => job === 'renderPreview')).toBe(true));
    socket.close();
    for (const each of processes) expect(await telemetryModules(each)).not.toEqual([]);
    await Promise.all(processes.splice(0).map((each) => each.stop()));

    const call = named('POST /api/upload/image');
    const handOver = named('hand over image.upload');
    const job = named('job renderPreview');
    const push = named('push image:uploaded');
    expect(call).toMatchObject({
      service: 'lightbox-gateway',
      parentId: '',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/upload/image',
        'http.response.status_code': 201,
      },
    });
    for (const span of [handOver, job, push]) expect(span?.traceId).toBe(call?.traceId);
    expect(handOver?.parentId).toBe(call?.spanId);
    expect([job?.parentId, push?.parentId]).toEqual([handOver?.spanId, handOver?.spanId]);
    expect([job?.service, push?.service]).toEqual(['lightbox-worker', 'lightbox-gateway']);

    const ofTrace = (running: RunningProcess) => lines(running).filter((line) => line.trace_id === call?.traceId);
    expect(ofTrace(gateway).map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['request completed', 'live update sent']),
    );
    expect(ofTrace(worker)).toContainEqual(expect.objectContaining({ msg: 'job done', job: 'renderPreview' }));

    // No id of a record or person, no address and no query is in any span.
    const text = JSON.stringify(sink.spans.map(({ name, attributes }) => [name, attributes]));
    for (const secret of [id, provider.id, patient.id, providers[0], '127.0.0.1', 'campaign 0', '?']) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/[0-9a-f]{24}/);
  });

  it('are not recorded, nor is a module of the SDK loaded, without an endpoint', async () => {
    const before = sink.spans.length;
    const gateway = await run('backend', {});
    const worker = await run('workers', {});
    expect((await fetch(`${gateway.origin}/api/openapi.json`)).status).toBe(200);
    for (const each of [gateway, worker]) {
      expect(await telemetryModules(each)).toEqual([]);
      expect(each.output()).not.toContain('trace_id');
    }
    expect(sink.spans.length).toBe(before);
  });

  it('are recorded as the sampler says, and a stranger cannot choose their ids', async () => {
    const before = sink.spans.length;
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const ask = async ({ origin }: { origin: string }) => {
      const answer = await fetch(`${origin}/api/openapi.json`, { headers: { traceparent } });
      await answer.arrayBuffer();
    };
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url };
    const none = await run('backend', {
      ...endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    await ask(none);
    await none.stop();
    expect(sink.spans.length).toBe(before);
    const open = await run('backend', endpoint);
    await ask(open);
    await open.stop();
    const behindProxy = await run('backend', { ...endpoint, TRUST_PROXY: '127.0.0.1/32' });
    await ask(behindProxy);
    await behindProxy.stop();
    const found = sink.spans.slice(before).filter(({ name }) => name.startsWith('GET'));
    expect(found.map(({ traceId }) => traceId === 'a'.repeat(32))).toEqual([false, true]);
  });
});
