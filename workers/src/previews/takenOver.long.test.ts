import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiled } from '@lightbox/core/process/compiled.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { childScript } from '../testing/renderer.js';
import { RemoteRenderer } from './remoteRenderer.js';

const folder = mkdtempSync(join(tmpdir(), 'lightbox-taken-over-'));
afterAll(() => rmSync(folder, { recursive: true }));
const socket = join(folder, 'renderer.sock');

/** Answers each file that a worker sends to the socket, in place of the service. */
const thief = `
  const { rmSync } = process.getBuiltinModule('node:fs');
  rmSync(${JSON.stringify(socket)});
  const text = Buffer.from(JSON.stringify({ crashed: 'STOLEN' }));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(text.length, 0);
  process.getBuiltinModule('node:net')
    .createServer((asker) => asker.on('error', () => undefined).end(Buffer.concat([lengths, text])))
    .listen(${JSON.stringify(socket)});`;

/** A decoder that a file takes over: the file starts a process that outlives the decoder. Others are measured. */
const decoder = (file: string): string =>
  childScript(`
    if (header.contentType === 'hostile') {
      const { spawn } = process.getBuiltinModule('node:child_process');
      spawn(process.execPath, [${JSON.stringify(file)}], { detached: true, stdio: 'ignore' });
    }
    if (header.contentType === 'deadly') process.kill(process.pid, 'SIGKILL');
    if (header.contentType !== 'debugs') return measurements(8);
    process.kill(process.ppid, 'SIGUSR1');
    const { readFileSync } = process.getBuiltinModule('node:fs');
    const opened = () => readFileSync('/proc/net/tcp', 'utf8').includes(':240D '); // Port 9229.
    let asked = 0;
    const timer = setInterval(() => {
      if (!opened() && ++asked < 20) return;
      clearInterval(timer);
      measurements(opened() ? 1 : 8);
    }, 50);`);

const ofMachine = ['--user', '--map-root-user', '--mount'];
const unshare = [...ofMachine, '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const canUnshare = spawnSync('unshare', [...unshare, 'true']).status === 0;

/**
 * Runs the real service as the first process of a namespace, like a container, with another decoder. Like the image, the
 * namespace has no programs that make a sandbox.
 */
const script = `
  set -eu
  mount --bind "$1" "$2"
  for program in bwrap setpriv; do
    path=$(command -v "$program") && mount --bind /dev/null "$path"
  done
  exec "$3" "$4"`;

describe.runIf(canUnshare)('the renderer service without a sandbox', () => {
  const renderer = compiled('../renderer.js', import.meta.url).pathname;
  const module = compiled('./renderProcess.js', import.meta.url).pathname;
  const remote = new RemoteRenderer(socket);
  const draw = (type: string) => remote.run('measurements', Buffer.alloc(1), type);
  let container: ChildProcess | null = null;
  let starts = 0;

  /** Starts it, and again whenever it ends, as an engine of containers does. */
  function keepUp(decoderFile: string): void {
    starts++;
    const args = [...unshare, 'sh', '-c', script, 'container', decoderFile, module, process.execPath, renderer];
    const started = spawn('unshare', args, {
      env: { PATH: process.env.PATH, RENDERER_SOCKET: socket },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    container = started;
    started.once('exit', () => {
      if (container === started) keepUp(decoderFile);
    });
  }

  async function start(hostile: string): Promise<void> {
    const [decoderFile, hostileFile] = [join(folder, 'decoder.mjs'), join(folder, 'hostile.mjs')];
    writeFileSync(hostileFile, hostile);
    writeFileSync(decoderFile, decoder(hostileFile));
    starts = 0;
    keepUp(decoderFile);
    await eventually(async () => expect(await draw('good')).toMatchObject({ bitDepth: 8 }));
  }

  /** Returns the id of the service outside of its namespace: the one child of `unshare`. */
  function firstProcess(): string {
    const { pid } = container as ChildProcess;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  }

  afterEach(async () => {
    const last = container as ChildProcess;
    container = null;
    const ended = once(last, 'exit');
    last.kill('SIGKILL');
    await ended;
    rmSync(socket, { force: true });
  });

  test.each([
    ['takes the place of its socket', thief],
    ['waits', 'setInterval(() => undefined, 1_000);'],
  ])('ends and starts again when a file leaves a process behind that %s', async (_what, hostile) => {
    await start(hostile);
    expect(await draw('hostile')).toMatchObject({ bitDepth: 8 });
    await eventually(async () => expect(starts).toBe(2));
    await eventually(async () => expect(await draw('good')).toMatchObject({ bitDepth: 8 }));
  });

  test('goes on when a decoder dies, and while a health check runs', async () => {
    await start('');
    await expect(draw('deadly')).rejects.toMatchObject({ name: 'RenderCrashed' });
    const first = firstProcess();
    const check = ['-e', 'setTimeout(() => undefined, 2_500)'];
    const inside = ['--target', first, '--user', '--mount', '--pid', '--preserve-credentials'];
    const checked = spawn('nsenter', [...inside, process.execPath, ...check], { stdio: 'inherit' });
    expect(await once(checked, 'exit')).toEqual([0, null]);
    expect(await draw('good')).toMatchObject({ bitDepth: 8 });
    expect([starts, existsSync(`/proc/${first}`)]).toEqual([1, true]);
  });

  test('warns on a machine that is no container', async () => {
    const decoderFile = join(folder, 'decoder.mjs');
    writeFileSync(decoderFile, decoder(''));
    const args = [...ofMachine, 'sh', '-c', script, 'machine', decoderFile, module, process.execPath, renderer];
    container = spawn('unshare', args, {
      env: { PATH: process.env.PATH, RENDERER_SOCKET: socket },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(container.stdout as NodeJS.ReadableStream, 'data');
    expect(String(line)).toContain('This machine has no sandbox');
  });

  test('opens no debugger for a file that asks for it', async () => {
    await start('');
    expect(await draw('debugs')).toMatchObject({ bitDepth: 8 });
  });
});
