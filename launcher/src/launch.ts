import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@lightbox/core/config/config.js';
import { demoPeople } from '@lightbox/core/config/demo.js';
import { ConfigError, type Env, loadConfig } from '@lightbox/core/config/env.js';
import { ensureSecrets, makeSecrets } from '@lightbox/core/config/secrets.js';
import { kindOfMongo, noReplicaSetMessage } from '@lightbox/core/db/kindOfMongo.js';
import { isLoopback } from '@lightbox/core/net/hosts.js';
import { portTakenMessage } from '@lightbox/core/process/portTaken.js';
import { findMongod, findValkey } from './binaries.js';
import { type Instance, InstanceFile, releaseDataDir, takeDataDir } from './instance.js';
import { mailServer } from './mail.js';
import { mongodServer } from './mongod.js';
import { choosePorts, isPortFree } from './ports.js';
import { markOf } from './processes.js';
import { type EmbeddedServer, spawnServer, untilAnswers } from './server.js';
import { keyNames, mailWebPort, missingServers, ownSettings, placeholderUris } from './settings.js';
import { Supervised } from './supervised.js';
import { valkeyServer } from './valkey.js';

const root = join(import.meta.dirname, '../..');
const appTimeoutMs = 25_000;
const serverTimeoutMs = 40_000;

const say = (line: string): void => console.log(line);

/** `npm start`: starts, supervises and stops everything. Resolves to the exit code. */
export async function launch(from: Env): Promise<number> {
  const env = Object.fromEntries(Object.entries(from).filter(([, value]) => value?.trim()));
  try {
    const config = loadConfig({ ...env, ...ownSettings(env, placeholderUris, makeSecrets()) });
    return await new Launcher(env, config).run();
  } catch (error) {
    console.error(`\n${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    return 1;
  }
}

class Launcher {
  private readonly apps: Supervised[] = [];
  private readonly servers: Supervised[] = [];
  private own: Env = {};
  private stopping = false;
  private end: (fault: string | null) => void = () => {};
  private readonly ended = new Promise<string | null>((resolve) => {
    this.end = resolve;
  });

  /** Written after every start of a process, so that it is complete even if this process is killed. */
  private readonly instance: InstanceFile;

  constructor(
    private readonly env: Env,
    private readonly config: Config,
  ) {
    this.instance = new InstanceFile(config.dataDir, () => this.describe(), say);
  }

  /** Runs until a signal or a fatal fault. Then it stops everything in order. */
  async run(): Promise<number> {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => this.end(null));
    // After a closed terminal, or with `npm start | head`, this process must still stop its children.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
    await takeDataDir(this.config.dataDir, say);
    this.up().catch((error: Error) => this.end(error instanceof ConfigError ? error.message : startFault(error)));
    const fault = await this.ended;
    if (fault) console.error(`\n${fault}\n`);
    await this.down();
    return fault ? 1 : 0;
  }

  private async up(): Promise<void> {
    const { dataDir } = this.config;
    await this.checkPorts();
    await this.startServers();
    if (this.env.MONGODB_URI) await this.checkMongo(this.env.MONGODB_URI);
    await this.startApps();
    const inbox = this.own.MAIL_INBOX_URL;
    if (inbox) say(`All mail stays in the test inbox; read it at ${inbox}`);
    if (this.own.DEMO === '1' || this.env.DEMO === '1') {
      say('Sample accounts (their codes arrive in the test inbox):');
      for (const { role, email, password } of demoPeople(dataDir))
        say(`  ${role.padEnd(15)} ${email.padEnd(22)} ${password}`);
    }
    say(`Lightbox is ready on ${this.config.publicUrl}`);
  }

  /** Checks the ports that people configure before anything is started, because another program may use them. */
  private async checkPorts(): Promise<void> {
    const { host, port, ops, dicom } = this.config;
    const wanted = [{ variable: 'PORT', host, port }];
    // For `localhost` a browser tries ::1 first, and would reach another program there.
    if (isLoopback(host)) wanted.push({ variable: 'PORT', host: '::1', port });
    if (missingServers(this.env).mail)
      wanted.push({ variable: 'MAIL_WEB_PORT', host: '127.0.0.1', port: mailWebPort(this.env) });
    if (ops) {
      // Of the gateway, the workers and the receiver.
      for (const offset of dicom ? [0, 1, 2] : [0, 1]) {
        wanted.push({ variable: 'OPS_PORT', host: ops.host, port: ops.port + offset });
      }
    }
    if (dicom) wanted.push({ variable: 'DICOM_PORT', host: dicom.host, port: dicom.port });
    for (const { variable, host, port } of wanted) {
      if (!(await isPortFree(host, port))) throw new ConfigError(portTakenMessage(variable, host, port));
    }
  }

  private async startServers(): Promise<void> {
    const { dataDir } = this.config;
    const missing = missingServers(this.env);
    const ports = await choosePorts(dataDir);
    const [mongodProgram, valkeyProgram] = await Promise.all([
      missing.mongodb ? findMongod(say) : null,
      missing.redis ? findValkey(say) : null,
    ]);
    const mongod = mongodProgram === null ? null : mongodServer(mongodProgram, dataDir, ports.mongodb);
    const valkey = valkeyProgram === null ? null : valkeyServer(valkeyProgram, dataDir, ports.redis);
    const mail = missing.mail ? mailServer(dataDir, ports.smtp, mailWebPort(this.env)) : null;
    const uris = { mongodb: mongod?.uri ?? '', redis: valkey?.uri ?? '', smtp: mail?.uri ?? '' };
    this.own = ownSettings(this.env, uris, ensureSecrets(dataDir));
    await Promise.all([mongod, valkey, mail].map((server) => server && this.startServer(server)));
  }

  private async startServer(server: EmbeddedServer): Promise<void> {
    const supervised = this.add(this.servers, server.name, () => spawnServer(server));
    const child = supervised.start();
    if (!child) return;
    await untilAnswers(server, child);
    supervised.supervise(child);
    say(`${server.name} runs at ${server.uri} (${shortPath(server.command)})`);
  }

  private async checkMongo(uri: string): Promise<void> {
    const kind = await kindOfMongo(uri);
    if (kind === 'standalone' || kind === 'setToBe') throw new ConfigError(noReplicaSetMessage);
  }

  private async startApps(): Promise<void> {
    const { ops, dicom } = this.config;
    const opsEnv = (offset: number): Env => (ops ? { OPS_PORT: String(ops.port + offset) } : {});
    say('Starting gateway and workers …');
    this.startApp('The gateway', 'backend/dist/main.js', {});
    const others = [this.startApp('The worker process', 'workers/dist/main.js', opsEnv(1))];
    if (dicom) others.push(this.startApp('The DICOM receiver', 'backend/dist/receiver/main.js', opsEnv(2)));
    await Promise.all([this.untilGatewayReady(), ...others.map(untilReady)]);
    if (dicom) say(`The DICOM receiver ${dicom.title} listens on ${dicom.host}:${dicom.port}`);
    // A server whose disk is full starts again when there is free space.
    for (const each of [...this.apps, ...this.servers]) each.alwaysRestart = true;
  }

  /** Starts a process of the product. The terminal signals them directly; `down` signals them when only this process got the signal. */
  private startApp(name: string, file: string, more: Env): Supervised {
    const main = join(root, file);
    if (!existsSync(main)) throw new ConfigError(`${relative(root, main)} is missing: run \`npm run build\`.`);
    const env = { ...this.env, ...this.own, ...more };
    const supervised = this.add(this.apps, name, () =>
      spawn(process.execPath, [main], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
    );
    const child = supervised.start();
    if (child) supervised.supervise(child);
    return supervised;
  }

  private add(to: Supervised[], name: string, start: () => ChildProcess): Supervised {
    if (this.stopping) throw new Error('Lightbox was stopped while it was starting.');
    const supervised = new Supervised(name, start, {
      onSpawn: () => this.instance.write(),
      onGiveUp: (reason) => this.end(reason),
      say,
    });
    to.push(supervised);
    return supervised;
  }

  private async untilGatewayReady(): Promise<void> {
    const { host, port } = this.config;
    const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
    for (let tries = 1; !(await answers(`http://${name}:${port}/readyz`)); tries++) {
      if (tries % 100 === 0) say('Still waiting for the gateway and its servers …');
      await sleep(150);
    }
  }

  private describe(): Instance {
    const isKey = (name: string) => (keyNames as string[]).includes(name);
    return {
      url: this.config.publicUrl,
      launcher: markOf('launcher', process.pid),
      settings: Object.fromEntries(Object.entries(this.own).filter(([name]) => !isKey(name))),
      secrets: keyNames.filter((name) => this.own[name]),
      processes: [...this.apps, ...this.servers].flatMap(({ name, child }) =>
        child?.pid ? [markOf(name, child.pid)] : [],
      ),
    };
  }

  private async down(): Promise<void> {
    this.stopping = true;
    const started = this.apps.length + this.servers.length > 0;
    if (started) say('Stopping …');
    await this.stopAll(this.apps, appTimeoutMs);
    await this.stopAll(this.servers, serverTimeoutMs);
    this.instance.stop();
    releaseDataDir(this.config.dataDir);
    if (started) say('Lightbox has stopped.');
  }

  private async stopAll(group: Supervised[], timeoutMs: number): Promise<void> {
    const stop = async (each: Supervised) => {
      if (!(await each.stop(timeoutMs)))
        say(`${each.name} did not stop in ${timeoutMs / 1000} s, so Lightbox killed it.`);
    };
    await Promise.all(group.map(stop));
  }
}

/** Waits for the message of a process that has no port to ask. After a timeout it counts as ready. */
async function untilReady({ child }: Supervised): Promise<void> {
  if (!child) return;
  const ready = new Promise<void>((resolve) => child.on('message', (sent) => sent === 'ready' && resolve()));
  await Promise.race([ready, sleep(20_000, undefined, { ref: false })]);
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    (answer) => answer.ok,
    () => false,
  );

const shortPath = (path: string): string => (path.startsWith(root) ? relative(root, path) : path);

const startFault = (error: Error): string => `Lightbox could not start. ${error.message}`;
