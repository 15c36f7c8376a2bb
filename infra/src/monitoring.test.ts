import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Status } from '@lightbox/backend/receiver/command.js';
import { type RunningReceiver, startReceiver } from '@lightbox/backend/receiver/receiver.js';
import { connectSocket } from '@lightbox/backend/testing/client.js';
import {
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  type Person,
} from '@lightbox/backend/testing/factories.js';
import { useGateway } from '@lightbox/backend/testing/useGateway.js';
import { calls } from '@lightbox/contract/calls.js';
import { queueNames } from '@lightbox/contract/queues.js';
import { checkNames } from '@lightbox/contract/selfCheck/report.js';
import { system } from '@lightbox/core/events/events.js';
import { underOlderKeys } from '@lightbox/core/keys/usage.js';
import { Metrics } from '@lightbox/core/metrics/metrics.js';
import { startOps } from '@lightbox/core/process/ops.js';
import { jobs } from '@lightbox/core/queues/jobs.js';
import { runSelfCheck } from '@lightbox/core/selfCheck/selfCheck.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { DicomSender } from '@lightbox/testkit/dicomSender.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { type RunningWorker, startWorker } from '@lightbox/workers/worker.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const host = '127.0.0.1';
const gatewayPort = await freePort();
const workerPort = await freePort();
const receiverPort = await freePort();
const { test, api } = useGateway({ ops: { host, port: gatewayPort } });
let worker: RunningWorker;
let receiver: RunningReceiver;
let scraped: Sample[];

/** Gauges whose rows are absent while they cannot be read. */
const readInRows = [
  'bullmq_queue_jobs',
  'bullmq_oldest_waiting_seconds',
  'bullmq_oldest_away_seconds',
  'lightbox_self_check_failed',
  'lightbox_older_key_records',
];
const attempts = 'bullmq_job_duration_seconds_count';

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads the samples of one process, as Prometheus does. */
async function scrape(port: number): Promise<Sample[]> {
  const text = await (await fetch(`http://${host}:${port}/metrics`)).text();
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

const valueIn = (samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined =>
  samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;

beforeAll(async () => {
  const { gateway, url } = test;
  await runSelfCheck(gateway, system);
  worker = await startWorker({ ...test.config, ops: { host, port: workerPort } });
  await worker.ready;
  const [admin, provider, patient] = [
    await buildAdmin(gateway),
    await buildProvider(gateway),
    await buildPatient(gateway),
  ];
  const image = await buildImage(gateway, { owner: provider, patient: patient._id });
  const socket = await connectSocket(url, { token: patient.token });
  await api.as(provider).post('/message/send', { recipientId: patient.id, content: 'Hello', clientId: randomUUID() });
  await socket.until('message:new');
  // Ids, names and addresses at every place where a request may carry them.
  await api.as(admin).get(`/upload/image/${image.id}`).expect(200);
  await api.as(patient).get(`/users/${provider.id}`).expect(200);
  await api.as(admin).get(`/users?search=${provider.username}`).expect(200);
  await api.get(`/upload/image/${image.id}`).expect(401);
  await api.call('patch', `/users/${provider.id}`).expect(405);
  await api.get(`/${provider.email}/${image.id}`).expect(404);
  await fetch(`${url}/${provider.username}/${image.id}`);
  await callReceiver(admin, provider);
  const appended = async () => valueIn(await scrape(workerPort), attempts, { job: 'appendAudit' }) ?? 0;
  await eventually(async () => expect(await appended()).toBeGreaterThan(0));
  // On a busy machine, a value that could not be read in time is absent or NaN in one scrape.
  await eventually(async () => {
    scraped = (await Promise.all([gatewayPort, workerPort, receiverPort].map(scrape))).flat();
    const names = scraped.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(readInRows));
    expect(scraped.filter(({ value }) => Number.isNaN(value))).toEqual([]);
  });
  socket.socket.close();
});
afterAll(() => Promise.all([worker?.stop(), receiver?.stop()]));

/** Sends one file to a receiver from a device, and calls it from a stranger. */
async function callReceiver(admin: Person, owner: Person): Promise<void> {
  const dicom = { host, port: 0, title: 'LIGHTBOX', tls: null };
  receiver = await startReceiver({ ...test.config, dicom, ops: { host, port: receiverPort } }, test.clock);
  await receiver.ready;
  await api.as(admin).post('/dicom-nodes', { title: 'CT1', addresses: [], userId: owner.id }).expect(201);
  const call = (calling: string) => DicomSender.connect({ port: receiver.port, calling, called: 'LIGHTBOX' });
  const [device, stranger] = [await call('CT1'), await call('STRANGER')];
  expect(await device.associate()).toBe('accepted');
  await device.store(phantom({ study: '4711' }));
  await device.release();
  expect(await stranger.associate()).not.toBe('accepted');
}

describe('/metrics', () => {
  it.each([
    ['http_request_duration_seconds_count', { method: 'GET', route: '/api/upload/image/:id', status: '200' }, 1],
    ['http_request_duration_seconds_count', { method: 'GET', route: '/api/upload/image/:id', status: '401' }, 1],
    ['http_request_duration_seconds_count', { method: 'PATCH', route: '/api/users/:id', status: '405' }, 1],
    ['http_request_duration_seconds_count', { method: 'POST', route: '/api/message/send', status: '201' }, 1],
    ['http_request_duration_seconds_count', { method: 'GET', route: 'other', status: '404' }, 1],
    ['socketio_connected', {}, 1],
    ['lightbox_message_delivery_seconds_count', {}, 1],
    ['lightbox_dicom_connections_total', { end: 'released' }, 1],
    ['lightbox_dicom_connections_total', { end: 'rejected' }, 1],
    ['lightbox_dicom_store_seconds_count', { status: 'success' }, 1],
    ['lightbox_dicom_associations', {}, 0],
    ['bullmq_queue_jobs', { queue: 'mail', state: 'failed' }, 0],
    ['bullmq_oldest_waiting_seconds', { queue: 'analysis' }, 0],
    ['bullmq_oldest_away_seconds', { queue: 'mail' }, 0],
    ['bullmq_jobs_failed_total', { queue: 'mail' }, 0],
  ])('%s %o', (name, labels, value) => {
    expect(valueIn(scraped, name, labels)).toBe(value);
  });

  it('has the metrics of docs/operations/README.md, each with exactly these labels', async () => {
    const told = readFileSync(join(root, 'docs/operations/README.md'), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name, labels] = /^\| `(\w+)`\s+\| ([\w, ]*?)\s*\|/.exec(line) ?? [];
        return name && !name.startsWith('Lightbox') ? [`${name} ${labels}`] : [];
      });
    const exported = async () => {
      const samples = (await Promise.all([gatewayPort, workerPort, receiverPort].map(scrape))).flat();
      const own = samples.filter(({ name }) => !/^(process|nodejs)_/.test(name));
      const said = own.map(({ name, labels: { le: _, ...labels } }) => {
        return `${name.replace(/_(bucket|sum|count)$/, '')} ${Object.keys(labels).join(', ')}`;
      });
      return [...new Set(said)].sort();
    };
    // On a busy machine, a row that could not be read in time is absent in one scrape.
    await eventually(async () => expect(await exported()).toEqual(told.sort()));
  });

  it('counts the records under older keys of every kind, as `keys:status` does', () => {
    const shown = scraped.filter(({ name }) => name === 'lightbox_older_key_records').map(({ labels }) => labels.what);
    expect([...new Set(shown)].sort()).toEqual(Object.keys(underOlderKeys(test.gateway.keys)).sort());
  });

  it('does not hold the end of its process with a connection that sends nothing', async () => {
    const port = await freePort();
    const stop = await startOps(
      { ...test.gateway, config: { ...test.config, ops: { host, port } }, metrics: new Metrics() },
      () => false,
    );
    const silent = connect(port, host).on('error', () => undefined);
    await once(silent, 'connect');
    const closed = once(silent, 'close');
    await Promise.all([stop(), closed]);
  });

  it('shows the age of what waits', async () => {
    const { gateway, clock } = test;
    await gateway.queues.all.analysis.pause();
    await gateway.queues.all.analysis.add('analyseImage', {}, { timestamp: clock.now().getTime() });
    // The file of an owner who sent many waits for those of others, which may come without end.
    const { previews } = gateway.queues.all;
    await previews.pause();
    const addAt = (priority: number) =>
      previews.add('renderPreview', {}, { priority, timestamp: clock.now().getTime() });
    await addAt(500);
    await gateway.models.Event.collection.insertOne({ pending: true, unaudited: true, type: 'later', at: clock.now() });
    clock.forward({ hours: 1 });
    for (const priority of [2, 900]) await addAt(priority);
    const samples = await scrape(gatewayPort);
    expect(valueIn(samples, 'bullmq_oldest_waiting_seconds', { queue: 'previews' })).toBeGreaterThanOrEqual(3600);
    expect(valueIn(samples, 'bullmq_oldest_waiting_seconds', { queue: 'analysis' })).toBeGreaterThanOrEqual(3600);
    expect(valueIn(samples, 'lightbox_event_lag_seconds')).toBeGreaterThanOrEqual(3600);
    expect(valueIn(samples, 'lightbox_audit_lag_seconds')).toBeGreaterThanOrEqual(3600);
    expect(valueIn(samples, 'lightbox_events_pending')).toBeGreaterThanOrEqual(1);
  });

  it('has no label with a word that is not the product’s own', () => {
    const words: Record<string, (value: string) => boolean> = {
      route: among(['other', ...Object.values(calls).map(({ path }) => `/api${path}`)]),
      method: among(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']),
      status: (value) => /^[1-5]\d\d$/.test(value) || Object.hasOwn(Status, value),
      end: among(['released', 'rejected', 'ended', 'fault', 'dropped', 'handshake']),
      queue: among(queueNames),
      state: among(['waiting', 'prioritized', 'active', 'delayed', 'failed']),
      job: among(['other', ...Object.keys(jobs)]),
      what: among(Object.keys(underOlderKeys(test.gateway.keys))),
      check: among(checkNames),
      le: (value) => /^([\d.]+|\+Inf)$/.test(value),
    };
    const own = scraped.filter(({ name }) => !/^(process|nodejs)_/.test(name));
    const strange = own.flatMap(({ name, labels }) =>
      Object.entries(labels).flatMap(([key, value]) => (words[key]?.(value) ? [] : [`${name} ${key}=${value}`])),
    );
    expect(own.length).toBeGreaterThan(50);
    expect(strange).toEqual([]);
  });
});

const among = (words: readonly string[]) => (value: string) => words.includes(value);

const folder = join(import.meta.dirname, '../monitoring');
const dashboards = readdirSync(join(folder, 'dashboards'));
const readDashboard = (file: string) =>
  JSON.parse(readFileSync(join(folder, 'dashboards', file), 'utf8')) as Record<'uid' | 'title', string> & {
    panels: { id: number; title: string; targets: { expr: string }[] }[];
  };

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}
const rules = (
  parse(readFileSync(join(folder, 'alerts.yml'), 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);

/** Returns the names of metrics in an expression: the words that are no function, keyword, label, text or number. */
const metricsOf = (expr: string): string[] =>
  [
    ...expr
      .replace(/"[^"]*"/g, '')
      .replace(/\{[^}]*\}|\[[^\]]*\]|\b(by|without|on|ignoring)\s*\([^)]*\)/g, '')
      .matchAll(/(?<![\w.])[a-z_]\w*(?!\w*\s*\()/g),
  ]
    .map(([word]) => word)
    .filter((word) => !/^(and|or|unless|bool|by)$/.test(word));

describe('alert rules and dashboards', () => {
  const own = () => new Set([...scraped.map(({ name }) => name), 'up']);
  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...dashboards.flatMap((file) =>
      readDashboard(file).panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
    ),
  ];

  it.each(expressions)('%s: every metric is one that the product exports', (_, expr) => {
    expect(metricsOf(expr).length).toBeGreaterThan(0);
    expect(metricsOf(expr).filter((name) => !own().has(name))).toEqual([]);
  });

  it('Every alert has a page that names it, and a test that raises it.', () => {
    const tests = parse(readFileSync(join(folder, 'alerts.test.yml'), 'utf8')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: object[] }[] }[];
    };
    const raised = tests.tests.flatMap(({ alert_rule_test }) => alert_rule_test).filter(({ exp_alerts }) => exp_alerts);
    expect(new Set(raised.map(({ alertname }) => alertname))).toEqual(new Set(rules.map(({ alert }) => alert)));
    for (const { alert, annotations } of rules) {
      expect(readFileSync(join(root, annotations.runbook), 'utf8')).toContain(`\`${alert}\``);
    }
  });

  it('Panels have numbers of their own.', () => {
    for (const file of dashboards) {
      const ids = readDashboard(file).panels.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});
