import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiled } from '@lightbox/core/process/compiled.js';
import { createLogger } from '@lightbox/core/process/log.js';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nativeFile } from '../testing/dicom.js';
import { RemoteRenderer } from './remoteRenderer.js';
import { type Renderer, RendererAway } from './renderer.js';
import { findSandbox, isolations, type Places } from './sandbox.js';
import { startRenderService } from './service.js';

const folder = mkdtempSync(join(tmpdir(), 'lightbox-hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));
const project = join(import.meta.dirname, '../../..');

/**
 * A module in place of the renderer, which acts like a file that has taken over a decoder. It searches for keys, files and
 * network connections, and answers every task with a report instead of a picture.
 */
const hostile = (port: number, secret: string): string => `
  import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
  import { connect, Socket } from 'node:net';
  const attempt = (work) => { try { return String(work()); } catch { return ''; } };
  const processes = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid));
  const found = [
    JSON.stringify(process.env),
    attempt(() => readFileSync(${JSON.stringify(secret)})),
    ...processes.flatMap((pid) => ['environ', 'cmdline', 'root${secret}'].map((file) => attempt(() => readFileSync('/proc/' + pid + '/' + file)))),
  ].join(' ');
  const folders = ['/tmp', ...${JSON.stringify([folder, dirname(secret), project, import.meta.dirname])}];
  const read = ${JSON.stringify(join(project, 'README.md'))};
  const written = folders.map((folder) => folder + '/planted')
    .filter((file) => attempt(() => { writeFileSync(file, 'x'); return 'yes'; }));
  const ended = processes.filter((pid) => pid !== '1' && attempt(() => { process.kill(Number(pid), 0); return 'yes'; }));
  const reached = await new Promise((resolve) => {
    const socket = connect(${port}, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  const report = Buffer.from(JSON.stringify({ planted: found.includes('PLANTED'), read: attempt(() => readFileSync(read, 'utf8')).slice(0, 9), written, ended, reached }));
  const channel = new Socket({ fd: 3, readable: true, writable: true });
  const say = (header, body) => {
    const text = Buffer.from(JSON.stringify(header));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(text.length, 0);
    lengths.writeUInt32BE(body.length, 4);
    channel.write(Buffer.concat([lengths, text, body]));
  };
  say({ ready: true }, Buffer.alloc(0));
  const png = Buffer.from('\\x89PNG\\r\\n\\x1a\\n', 'latin1');
  channel.once('data', () => say({ picture: { width: 1, height: 1 }, hasText: false }, Buffer.concat([png, report])));`;

/** A process that has keys in its environment, like a worker, and sends this file to a renderer. */
const keyHolder = (module: string, isolation: string, places: Places): string => `
  const [{ Renderers }, { findSandbox }] = await Promise.all(
    ['./renderers.js', './sandbox.js'].map((name) => import(new URL(name, ${JSON.stringify(compiled('./', import.meta.url).href)}))),
  );
  const sandbox = await findSandbox([${JSON.stringify(isolation)}], ${JSON.stringify(places)});
  const renderers = new Renderers({ sandbox, module: new URL(${JSON.stringify(module)}) });
  const { bytes } = await renderers.run('forModel', Buffer.alloc(1), 'image/png');
  process.stdout.write(bytes.subarray(8));
  await renderers.close();
  sandbox.close();`;

const works = await Promise.all(
  isolations.map(async (isolation) => {
    const sandbox = await findSandbox([isolation]);
    sandbox.close();
    return sandbox.isolation === isolation;
  }),
);

describe.each(isolations.filter((_, at) => works[at]))(
  'a file that takes over its decoder, in a sandbox by %s,',
  (isolation) => {
    let valkey: Server;
    beforeAll(async () => {
      valkey = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
      await once(valkey, 'listening');
    });
    afterAll(() => valkey.close());

    const dataDir = join(folder, 'data');
    test.each<[string, Places]>([
      ['sees no other process and reaches no server', {}],
      [
        'sees nothing of a clone and a data folder below a folder of the system',
        { dataDir, system: [project, folder] },
      ],
    ])('finds no key, writes nothing, %s', async (_what, places) => {
      mkdirSync(dataDir, { recursive: true });
      const secret = join(dataDir, 'secrets.json');
      writeFileSync(secret, '{"keys":"PLANTED-FILE-KEY"}', { mode: 0o600 });
      const module = join(folder, 'hostile.mjs');
      writeFileSync(module, hostile((valkey.address() as AddressInfo).port, secret));
      const worker = spawn(
        process.execPath,
        ['--input-type=module', '-e', keyHolder(pathToFileURL(module).href, isolation, places)],
        {
          env: { PATH: process.env.PATH, ENCRYPTION_KEYS: 'k1:PLANTED-IMAGE-KEY', APP_KEYS: 'k1:PLANTED-SIGNING-KEY' },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      let report = '';
      worker.stdout.on('data', (part) => {
        report += part;
      });
      await once(worker, 'close');
      expect(JSON.parse(report)).toEqual({ planted: false, read: '', written: [], ended: [], reached: false });
    });
  },
);

test.each<[string, number, NodeJS.ProcessEnv, string]>([
  ['keys in its environment', 0o755, { ENCRYPTION_KEYS: 'k1:x', MONGODB_URI: 'x' }, 'MONGODB_URI, ENCRYPTION_KEYS'],
  ['a socket in a folder in which others may write', 0o1777, { ENCRYPTION_KEYS: '' }, 'mode 755'],
])('The renderer service does not start with %s.', (_what, mode, more, says) => {
  const shared = mkdtempSync(join(folder, 'shared-'));
  chmodSync(shared, mode);
  const { status, stderr } = spawnSync(process.execPath, [compiled('../renderer.js', import.meta.url).pathname], {
    env: { PATH: process.env.PATH, RENDERER_SOCKET: join(shared, 'socket'), ...more },
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect({ status, stderr }).toEqual({ status: 78, stderr: expect.stringContaining(says) });
});

describe('the renderer service', () => {
  const socket = join(folder, 'renderer.sock');
  let service: ChildProcess;
  const start = async () => {
    service = spawn(process.execPath, [compiled('../renderer.js', import.meta.url).pathname], {
      env: { PATH: process.env.PATH, RENDERER_SOCKET: socket },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(service.stdout as NodeJS.ReadableStream, 'data');
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(service, 'exit');
    service.kill(signal);
    return ended;
  };
  const remote = new RemoteRenderer(socket);
  afterEach(async () => {
    if (service.exitCode === null && service.signalCode === null) await end('SIGKILL');
  });

  test('draws and measures, reports a file that cannot be drawn, and ends on a signal', async () => {
    await start();
    const png = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#345' } })
      .png()
      .toBuffer();
    const grid = { width: 4, height: 2, channels: 3 } as const;
    const [preview, model, pixels, measured, refused] = await Promise.all([
      remote.run('frame', png, 'image/png'),
      remote.run('forModel', png, 'image/png'),
      remote.run('pixels', png, 'image/png', { grid }),
      remote.run('measurements', png, 'image/png'),
      remote.run('frame', png, 'application/pdf'),
    ]);
    expect(preview).toMatchObject({ width: 30, height: 20 });
    const parts: Buffer[] = [];
    const planes = nativeFile({ rows: 4, columns: 4, samples: 3, bits: 8, planar: 1 }, Buffer.alloc(48, 7));
    const onPart = async (part: Buffer) => void parts.push(part);
    const prepared = await remote.run('prepare', planes, 'application/dicom', { onPart });
    expect(prepared?.drawing.source).toBe('plain');
    expect(Buffer.concat(parts).equals(Buffer.alloc(48, 7))).toBe(true);
    expect((await sharp(model?.bytes).metadata()).format).toBe('png');
    expect([...(pixels?.bytes ?? [])]).toEqual(Array(8).fill([0x33, 0x44, 0x55]).flat());
    expect(measured).toMatchObject({ width: 30, height: 20, bitDepth: 8 });
    expect(refused).toBeNull();
    expect(await end('SIGTERM')).toEqual([0, null]);
  });

  test('counts as a dependency that is away while it is stopped or when it dies at a file, and draws again when it is back', async () => {
    await expect(remote.run('frame', Buffer.alloc(1), 'image/png')).rejects.toMatchObject({ name: 'RendererAway' });
    await start();
    const file = remote.run('frame', Buffer.alloc(8 << 20), 'image/png');
    await Promise.all([expect(file).rejects.toBeInstanceOf(RendererAway), end('SIGKILL')]);
    await start();
    expect(await remote.run('frame', Buffer.alloc(1), 'image/png')).toBeNull();
  });

  /** Stops a service while it decodes a file, by a decoder that refuses the file then, or not. Returns what became of the file. */
  async function stopDuring(refuses: boolean): Promise<Error> {
    const decoder = new EventEmitter();
    const begun = once(decoder, 'begun');
    const renderer: Renderer = {
      run: (_name, _bytes, _type, { onBegin } = {}) => {
        onBegin?.();
        return new Promise((_, reject) => decoder.once('refuse', reject));
      },
      close: async () => void (refuses && decoder.emit('refuse', new RendererAway())),
    };
    const path = join(folder, 'stopping.sock');
    const log = createLogger({ production: true, logLevel: 'silent' }, 'renderer');
    const running = await startRenderService(path, renderer, log);
    const onBegin = () => void decoder.emit('begun');
    const file = new RemoteRenderer(path).run('frame', Buffer.alloc(1), 'image/png', { onBegin }).then(
      () => new Error('It was drawn.'),
      (error) => error,
    );
    await begun;
    await running.stop();
    return file;
  }

  test('counts as away for a file when it is told to stop, and as one that died when it goes without a word', async () => {
    expect((await stopDuring(true)).name).toBe('RendererAway');
    expect((await stopDuring(false)).name).toBe('RendererDied');
  });
});
