import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { CheckName } from '@lightbox/contract/selfCheck/report.js';
import { createTransport } from 'nodemailer';
import { verifyAndNote } from '../audit/noteHead.js';
import { faultsOfClearText } from '../config/clearText.js';
import type { Core } from '../core.js';
import { countOlder, missingKeys } from '../keys/usage.js';
import { isLoopback } from '../net/hosts.js';
import { READY_MS } from '../process/receiverReady.js';
import { oldestAway } from '../queues/oldestAway.js';
import { oldestWaiting } from '../queues/oldestWaiting.js';
import { DAY_MS, HOUR_MS } from '../times.js';
import { checkAccess } from './checkAccess.js';
import { failed, ok, type Seen, skipped } from './seen.js';

/** A backup a day, and half a day to make it. */
const BACKUP_MS = 36 * HOUR_MS;
const APART_MS = 2_000;
const WAITED_SECONDS = 600;
const CERTIFICATE_DAYS = 14;
/** A receiver that is ready says so three times in this time. */
const RECEIVER_MS = 3 * READY_MS;
const ANSWER_MS = 8_000;
const MOST_COUNTED = 10_000;

/** The oldest versions with which the product works. */
const oldest = { node: [20, 19], mongodb: [5, 0], redis: [6, 2] } as const;

export const checks: Record<CheckName, (core: Core) => Promise<Seen>> = {
  access: checkAccess,
  audit: async (core) => {
    const { verdict, isNoted } = await verifyAndNote(core, 'checkpoint');
    const { ok: whole, checked, firstBroken } = verdict;
    if (!whole) return failed('brokenLog', { entries: checked, firstBroken });
    return isNoted ? ok({ entries: checked }) : failed('notNoted', { entries: checked });
  },
  keys: async ({ models, keys }) => {
    const missing = await missingKeys(models, keys);
    if (missing.length > 0) return failed('missingKey', { keyIds: missing.join(', ') });
    const counts = Object.values(await countOlder(models, keys, MOST_COUNTED));
    return ok({ olderRecords: counts.reduce((sum, count) => sum + count, 0) });
  },
  backup: async ({ models, clock, config }) => {
    const last = await models.Operation.findById('backup').lean();
    if (!last) return config.production ? failed('noBackup') : skipped();
    const age = clock.now().getTime() - last.at.getTime();
    const saw = { backupAge: Math.max(0, Math.round(age / 1000)) };
    return age > BACKUP_MS ? failed('oldBackup', saw) : ok(saw);
  },
  clocks: async ({ db, redis }) => {
    const [mongodb, cache] = [
      await apart(async () => Number((await db.db?.admin().command({ hello: 1 }))?.localTime ?? Number.NaN)),
      await apart(async () => {
        const [seconds, micros] = await redis.time();
        return Number(seconds) * 1000 + Number(micros) / 1000;
      }),
    ];
    const saw = { mongodbApart: mongodb, redisApart: cache };
    return [mongodb, cache].every((ms) => Math.abs(ms) <= APART_MS) ? ok(saw) : failed('clockApart', saw);
  },
  queues: async ({ queues, redis, clock }) => {
    const states = await Promise.all(
      Object.values(queues.all).map(async (queue) => ({
        since: [await oldestWaiting(queue), await oldestAway(redis, queue)],
        failed: (await queue.getJobCounts('failed')).failed ?? 0,
        paused: await queue.isPaused(),
      })),
    );
    const now = clock.now().getTime();
    const times = states.flatMap(({ since }) => since).map((at) => (at ? (now - at.getTime()) / 1000 : 0));
    const waited = Math.max(0, ...times);
    const saw = {
      oldestJob: Math.round(waited),
      failedJobs: states.reduce((sum, state) => sum + state.failed, 0),
    };
    const policy = infoValue(await redis.info('memory'), 'maxmemory_policy');
    if (policy !== undefined && policy !== 'noeviction') return failed('mayForget', saw);
    if (states.some(({ paused }) => paused)) return failed('queuePaused', saw);
    return waited > WAITED_SECONDS ? failed('jobsWait', saw) : ok(saw);
  },
  mail: async ({ config }) => {
    const since = performance.now();
    const timeouts = { connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS };
    const mailer = createTransport({ ...timeouts, url: config.smtpUrl });
    try {
      await mailer.verify();
      return ok({ answerTime: Math.round(performance.now() - since) });
    } catch {
      return failed('unreachable');
    } finally {
      mailer.close();
    }
  },
  receiver: async ({ models, clock, config }) => {
    const devices = await models.DicomNode.countDocuments();
    const last = await models.Operation.findById('receiver').lean();
    // Without a device nobody misses a receiver, unless the settings turn one on.
    if (devices === 0 && !config.dicom) return skipped();
    const age = last ? Math.max(0, clock.now().getTime() - last.at.getTime()) : undefined;
    const saw = { devices, receiverSeen: age === undefined ? undefined : Math.round(age / 1000) };
    return age === undefined || age > RECEIVER_MS ? failed('receiverAway', saw) : ok(saw);
  },
  room: async ({ diskReserve }) => {
    const saw = { freeBytes: await diskReserve.free() };
    return (await diskReserve.fits(0)) ? ok(saw) : failed('nearlyFull', saw);
  },
  versions: async ({ db, redis }) => {
    const info = await redis.info('server');
    const build = await db.db?.admin().command({ buildInfo: 1 });
    const found = {
      node: process.versions.node,
      mongodb: String(build?.version ?? ''),
      redis: infoValue(info, 'valkey_version') ?? infoValue(info, 'redis_version') ?? '',
    };
    const saw = { product: productVersion, ...found };
    const old = (Object.keys(oldest) as (keyof typeof oldest)[]).some((part) => isBefore(found[part], oldest[part]));
    return old ? failed('tooOld', saw) : ok(saw);
  },
  tls: async ({ config, log }) => {
    const { mongodbUri: MONGODB_URI, redisUrl: REDIS_URL, smtpUrl: SMTP_URL } = config;
    const url = new URL(config.publicUrl);
    // In production the start refuses clear text, apart from the machines that ALLOW_PLAINTEXT names.
    const clear = config.production ? [] : faultsOfClearText({ MONGODB_URI, REDIS_URL, SMTP_URL });
    if (clear.length > 0) return failed('inClear', { hosts: clear.map(({ variable }) => variable).join(', ') });
    if (url.protocol !== 'https:') return isLoopback(url.hostname) ? skipped() : failed('inClear', { hosts: url.host });
    try {
      const days = Math.floor(((await certificateEnd(url)).getTime() - Date.now()) / DAY_MS);
      const saw = { certificateDays: days };
      return days < CERTIFICATE_DAYS ? failed('certificateEnds', saw) : ok(saw);
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'the public address has no valid certificate, or does not answer');
      return failed('unreachable', { hosts: url.host });
    }
  },
};

/** Returns the milliseconds by which another clock is ahead of this machine's, to half a round trip. */
async function apart(read: () => Promise<number>): Promise<number> {
  const before = Date.now();
  const there = await read();
  return Math.round(there - (before + Date.now()) / 2);
}

/** Returns the value of a line of Redis's INFO. */
const infoValue = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [m = 0, n = 0] = version.split('.').map(Number);
  return m < major || (m === major && n < minor);
}

/** Resolves to the end of a server's certificate. Rejects when it is not valid for the name. */
const certificateEnd = ({ hostname, port }: URL): Promise<Date> =>
  new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const name = isIP(host) ? {} : { servername: host };
    const socket = connect({ host, port: Number(port || 443), ...name }, () => {
      const end = new Date(socket.getPeerCertificate().valid_to);
      socket.end();
      resolve(end);
    });
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('There was no answer in time.')));
    socket.once('error', reject);
  });

export const productVersion = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
