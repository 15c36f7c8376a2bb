import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPatient, buildProvider, type Person } from '@lightbox/backend/testing/factories.js';
import { png } from '@lightbox/backend/testing/files.js';
import { useGateway } from '@lightbox/backend/testing/useGateway.js';
import type { TokenScope } from '@lightbox/contract/auth/personalTokens.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const { test, api } = useGateway();

/** The bundled client, which `npm run build` makes. */
const client = join(import.meta.dirname, '../dist/lightbox.mjs');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lightbox-client-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ran {
  status: number | null;
  out: string;
  err: string;
}

const begin = (args: string[], env: Record<string, string> = {}): ChildProcess =>
  spawn(process.execPath, [client, ...args], { cwd: folder, env: { ...process.env, XDG_CONFIG_HOME: folder, ...env } });

function end(child: ChildProcess, input = ''): Promise<Ran> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk) => (out += chunk));
  child.stderr?.on('data', (chunk) => (err += chunk));
  child.stdin?.end(input);
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, out, err })));
}

const run = (args: string[], env?: Record<string, string>, input?: string): Promise<Ran> =>
  end(begin(args, env), input);

async function tokenOf(
  person: Person,
  scopes: TokenScope[],
): Promise<{ LIGHTBOX_URL: string; LIGHTBOX_TOKEN: string }> {
  const { body } = await api.as(person).post('/auth/tokens', { name: 'Client', scopes, days: 1 }).expect(201);
  return { LIGHTBOX_URL: test.url, LIGHTBOX_TOKEN: body.data.token };
}

it('a person logs in with a token, which only they can read, sees who they are, and logs out', async () => {
  const person = await buildProvider(test.gateway);
  const { LIGHTBOX_TOKEN } = await tokenOf(person, ['read']);
  const login = await run(['login', test.url], {}, `${LIGHTBOX_TOKEN}\n`);
  expect(login).toMatchObject({ status: 0, err: '' });
  expect(login.out).toContain(`Logged in: ${person.username} (healthProvider)`);
  expect(login.out).not.toContain(LIGHTBOX_TOKEN);
  expect((await stat(join(folder, 'lightbox/login.json'))).mode & 0o777).toBe(0o600);
  expect((await run(['whoami'])).out).toContain('The token may: read');
  expect((await run(['logout'])).status).toBe(0);
  const after = await run(['whoami']);
  expect([after.status, after.err]).toEqual([1, expect.stringContaining('You are not logged in')]);
});

it('a wrong token, and an address in clear text, are refused in one sentence, and nothing is kept', async () => {
  const wrong = await run(['login', test.url], {}, 'lbx_wrong\n');
  expect([wrong.status, wrong.err.trim()]).toEqual([1, 'Authentication failed']);
  const clear = await run(['login', 'http://images.clinic.example'], {}, 'lbx_wrong\n');
  expect([clear.status, clear.err]).toEqual([1, expect.stringContaining('is not https')]);
  const none = await run(['login', test.url]);
  expect([none.status, none.err.trim()]).toEqual([1, 'No token was given.']);
  const half = await run(['whoami'], { LIGHTBOX_URL: test.url });
  expect([half.status, half.err]).toEqual([1, expect.stringContaining('Set both')]);
  expect(await readdir(join(folder, 'lightbox')).catch(() => [])).not.toContain('login.json');
});

it('a folder is sent, listed, shared and saved again byte for byte', async () => {
  const [person, reader] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
  const env = await tokenOf(person, ['read', 'upload', 'share']);
  const scans = await mkdtemp(join(folder, 'scans-'));
  const files = { 'left_knee.png': png(3, 3), 'right_knee.png': png(5, 5), 'notes.txt': Buffer.from('not a picture') };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(scans, name), bytes);

  const sent = await run(['upload', scans], env);
  expect(sent.status, sent.err).toBe(0);
  expect(sent.out).toContain('2 stored, 0 known already, 1 skipped, 0 failed');
  expect((await run(['upload', scans], env)).out).toContain('0 stored, 2 known already, 1 skipped');
  // A file that was named, and not found in a folder, is a failure.
  expect((await run(['upload', join(scans, 'notes.txt')], env)).status).toBe(1);

  const lines = (await run(['list', '--json'], env)).out.trim().split('\n');
  const images = lines.map((line) => JSON.parse(line) as { id: string; caption: string });
  expect(images.map(({ caption }) => caption).sort()).toEqual(['left knee', 'right knee']);

  const ids = images.map(({ id }) => id);
  const shared = await run(['share', ...ids, '--with', reader.email, '--hours', '2', '--no-download'], env);
  expect(shared.status, shared.err).toBe(0);
  expect(shared.out.match(/^shared/gm)).toHaveLength(2);
  const seen = await api.as(reader).get('/upload/shared-images').expect(200);
  expect(seen.body.data).toHaveLength(2);

  const saved = join(folder, 'saved');
  expect((await run(['download', ...ids, '--to', saved], env)).status).toBe(0);
  for (const { id, caption } of images) {
    expect(await readFile(join(saved, `${id}.png`))).toEqual(
      files[`${caption.replace(' ', '_')}.png` as 'left_knee.png'],
    );
  }
  expect((await run(['download', ids[0] ?? '', '--to', saved], env)).out).toContain('kept');
  expect((await readdir(saved)).sort()).toEqual(ids.map((id) => `${id}.png`).sort());
});

it('an upload that was killed goes on where it ended, and keeps no name on the disk', async () => {
  const person = await buildProvider(test.gateway);
  const env = await tokenOf(person, ['upload']);
  const path = join(folder, 'private_name.png');
  await writeFile(path, png(3, 2, 9 * 1024 * 1024));
  const begun = join(folder, 'lightbox/uploads');
  const notes = () => (existsSync(begun) ? readdirSync(begun).filter((name) => /^[0-9a-f]{64}$/.test(name)) : []);
  const child = begin(['upload', path], env);
  const ended = end(child);
  await vi.waitUntil(() => notes().length > 0, { interval: 1, timeout: 30_000 });
  child.kill('SIGKILL');
  expect((await ended).status).toBeNull();
  expect(await readFile(join(begun, notes()[0] ?? ''), 'utf8')).not.toContain('private');
  // The note of an upload that the server does not know any more.
  const old = join(begun, 'f'.repeat(64));
  await writeFile(old, '"https://images.clinic.example/api/upload/tus/1"');
  const twoDaysAgo = new Date(Date.now() - 48 * 60 * 60_000);
  await utimes(old, twoDaysAgo, twoDaysAgo);
  const again = await run(['upload', path], env);
  expect(again.out, again.err).toContain('1 stored');
  expect(await test.gateway.models.Upload.countDocuments({ owner: person._id })).toBe(1);
  expect(notes()).toEqual([]);
});

const started: (() => void)[] = [];
afterAll(() => {
  for (const stop of started) stop();
});
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  started.push(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('an upload goes on although the server still works on a piece of an earlier run (409 CONFLICT), and cannot say at once how much has arrived', async () => {
  const path = join(folder, 'cut.png');
  await writeFile(path, png(4, 4));
  const { size } = await stat(path);
  const asked: string[] = [];
  const LIGHTBOX_URL = await serve((req, res) => {
    req.resume();
    const answer = (status: number, headers: Record<string, string> = {}, body = '') =>
      res.writeHead(status, { 'tus-resumable': '1.0.0', ...headers }).end(body);
    if (req.url?.includes('known')) return answer(200, {}, JSON.stringify({ data: {} }));
    asked.push(req.method ?? '');
    if (req.method === 'POST') return answer(201, { location: `${LIGHTBOX_URL}/api/upload/tus/1` });
    if (req.method === 'HEAD' && asked.filter((method) => method === 'HEAD').length === 1) return answer(503);
    if (req.method === 'HEAD') return answer(200, { 'upload-offset': '0', 'upload-length': String(size) });
    if (asked.filter((method) => method === 'PATCH').length === 1) {
      return answer(409, {}, JSON.stringify({ message: 'No.', error: 'CONFLICT', requestId: 'r' }));
    }
    return answer(204, { 'upload-offset': String(size), 'lightbox-image': 'a'.repeat(24) });
  });
  const { out, err } = await run(['upload', path], { LIGHTBOX_URL, LIGHTBOX_TOKEN: 'lbx_x' });
  expect(out, err).toContain('1 stored');
  expect(asked).toEqual(['POST', 'PATCH', 'HEAD', 'HEAD', 'PATCH']);
});

it('a token without the right says so, and the exit status is 1', async () => {
  const env = await tokenOf(await buildProvider(test.gateway), ['read']);
  const path = join(folder, 'one.png');
  await writeFile(path, png(7, 7));
  const { status, err } = await run(['upload', path], env);
  expect([status, err]).toEqual([1, expect.stringContaining('Authentication failed')]);
});

it('links in a folder are not followed, and a fault in it does not end the run', async () => {
  const env = await tokenOf(await buildProvider(test.gateway), ['upload', 'read']);
  const scans = await mkdtemp(join(folder, 'links-'));
  await writeFile(join(scans, 'hand.png'), png(6, 3));
  for (const [name, target] of Object.entries({ round: '.', again: '..', nowhere: 'gone', out: '/etc/hostname' })) {
    await symlink(target, join(scans, name));
  }
  const { out, err, status } = await run(['upload', scans, join(folder, 'missing')], env);
  expect([status, out]).toEqual([1, expect.stringContaining('1 stored, 0 known already, 4 skipped, 1 failed')]);
  expect(err).toContain('missing: ENOENT');
});

it('the end of a reader such as `head` is no failure', async () => {
  const env = await tokenOf(await buildProvider(test.gateway), ['read']);
  const child = begin(['whoami'], env);
  child.stdout?.destroy();
  expect(await end(child)).toMatchObject({ status: 0, err: '' });
});

it('ends at once when the token has ended', async () => {
  const person = await buildProvider(test.gateway);
  const env = await tokenOf(person, ['upload']);
  const scans = await mkdtemp(join(folder, 'ended-'));
  for (let i = 0; i < 20; i++) await writeFile(join(scans, `${i}.png`), png(8, 2 + i));
  const { body } = await api.as(person).get('/auth/tokens').expect(200);
  await api.as(person).del(`/auth/tokens/${body.data[0].id}`).expect(200);
  const { out, err, status } = await run(['upload', scans], env);
  expect([status, out]).toEqual([1, expect.stringContaining('20 failed')]);
  expect(err.match(/Authentication failed/g)?.length).toBeLessThanOrEqual(3);
});

describe('a server that means harm', () => {
  const id = 'a'.repeat(24);
  const image = {
    id,
    createAt: '2026-01-01',
    contentType: 'image/png',
    isShared: false,
    caption: '\u001b[2Jgone\u009b',
  };

  it('moves no cursor, names no file, and sends nothing to another address', async () => {
    const asked: string[] = [];
    const other = await serve((req, res) => {
      asked.push(`${req.method} ${req.url}`);
      res.end();
    });
    const LIGHTBOX_URL = await serve((req, res) => {
      req.resume();
      if (req.url?.includes('/content')) {
        return res.writeHead(200, { 'content-disposition': 'attachment; filename="../../.profile"' }).end('x');
      }
      if (req.url?.includes('known')) return res.end(JSON.stringify({ data: {} }));
      if (req.url?.endsWith('/tus'))
        return res.writeHead(201, { location: `${other}/tus/1`, 'tus-resumable': '1.0.0' }).end();
      if (req.method === 'POST') return res.writeHead(307, { location: `${other}/share` }).end();
      return res.end(JSON.stringify({ data: [image] }));
    });
    const env = { LIGHTBOX_URL, LIGHTBOX_TOKEN: 'lbx_x' };

    for (const args of [['list'], ['list', '--json']]) {
      const { out } = await run(args, env);
      expect(out.trimEnd()).not.toMatch(/\p{Cc}/u);
      expect(out).toContain('\\u001b[2Jgone\\u009b');
    }
    const saved = await mkdtemp(join(folder, 'harm-'));
    expect((await run(['download', id, '--to', join(saved, 'a/b'), '--force'], env)).status).toBe(0);
    expect(await readdir(saved, { recursive: true })).toEqual(['a', 'a/b', `a/b/${id}.profile`]);
    const path = join(saved, 'one.png');
    await writeFile(path, png(2, 2));
    for (const args of [
      ['share', id, '--with', 'person@example.org'],
      ['upload', path],
    ]) {
      const { status, err } = await run(args, env);
      expect([status, err], err).toEqual([1, expect.stringContaining('leads to another address')]);
    }
    expect(asked).toEqual([]);
  });
});
