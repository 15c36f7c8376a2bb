import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { queueNames } from '@lightbox/contract/queues.js';
import { settingNames } from '@lightbox/core/config/env.js';
import { type JobName, jobs } from '@lightbox/core/queues/jobs.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const chart = (name: string): string => read(`infra/helm/lightbox/${name}`);

interface WaysOut {
  egress?: { ports: { port: number }[] }[];
}

const values = parse(chart('values.yaml')) as Record<string, object> & {
  gateway: WaysOut;
  backup: WaysOut;
  workers: { queues: Record<string, WaysOut> };
  networkPolicy: { serversTo: { ports: { port: number }[] }[] };
};
const schema = JSON.parse(chart('values.schema.json')) as {
  properties: Record<string, { properties?: Record<string, { properties?: object }> }>;
};
const templates = ['_helpers.tpl', 'gateway.yaml', 'workers.yaml', 'dicom.yaml', 'backup.yaml']
  .map((name) => chart(`templates/${name}`))
  .join('\n');

/** `npm run check:chart` renders the chart and asks an API server. These tests compare it with the rest of the product. */
describe('the chart', () => {
  it('can set every setting, and takes those that hold secrets from a Secret', () => {
    const plain = Object.keys(schema.properties.settings?.properties ?? {});
    const named = settingNames.filter((name) => new RegExp(`(name: |")${name}\\b`).test(templates));
    // One machine, a trial, or a value that the image has.
    const without = ['HOST', 'PORT', 'DATA_DIR', 'MAIL_WEB_PORT', 'DEMO', 'RATE_LIMITS', 'BLOB_DIR'];
    expect([...new Set([...plain, ...named, ...without])].sort()).toEqual([...settingNames].sort());
    expect(plain.filter((name) => /KEY|PASSWORD|SECRET|HEADERS|(SMTP|REDIS)_URL|MONGODB_URI/.test(name))).toEqual([]);
  });

  it('has workers for every queue', () => {
    expect(Object.keys(values.workers.queues).sort()).toEqual([...queueNames].sort());
    const known = parse(chart('values.schema.json')).properties.workers.properties.queues;
    expect(Object.keys(known.properties).sort()).toEqual([...queueNames].sort());
    expect(known.required.toSorted()).toEqual([...queueNames].sort());
    expect(chart('templates/workers.yaml')).toContain('value: {{ $queue }}');
  });

  it('opens the ports of mail servers to those who send mail, and to those who run the self-check', () => {
    const sending = [...read('workers/src/handlers.ts').matchAll(/^ {2}(\w+): \(\{[^}]*\bmailer\b/gm)].map(
      ([, name]) => name,
    );
    expect(sending).toContain('sendMail');
    const queues = new Set(sending.map((name) => jobs[name as JobName].queue));
    const portsOf = ({ egress = [] }: WaysOut) => egress.flatMap(({ ports }) => ports.map(({ port }) => port));
    for (const queue of [...queues, 'maintenance'])
      expect(portsOf(values.workers.queues[queue] as WaysOut), queue).toEqual(expect.arrayContaining([25, 465, 587]));
    for (const it of [values.gateway, values.backup])
      expect(portsOf(it)).toEqual(expect.arrayContaining([443, 25, 465, 587]));
  });

  it('explains every value, and its schema has a row for each', () => {
    expect(Object.keys(schema.properties).filter((name) => name !== 'global')).toEqual(Object.keys(values));
    for (const name of Object.keys(values)) expect(chart('README.md'), name).toMatch(new RegExp(`\`${name}\\b`));
  });

  it('runs its own servers in the versions and with the options of docker-compose.yml', () => {
    const { mongo, valkey } = parse(read('docker-compose.yml')).services as Record<
      string,
      { image: string; command: string[] }
    >;
    const mongodb = chart('templates/mongodb.yaml');
    expect(mongodb).toContain(`image: &image ${mongo?.image}\n`);
    for (const option of mongo?.command ?? []) expect(mongodb).toContain(`- ${option}\n`);
    expect(chart('templates/valkey.yaml')).toContain(`image: ${valkey?.image}\n`);
    for (const word of valkey?.command ?? []) expect(chart('templates/valkey.yaml')).toContain(word);
  });
});
