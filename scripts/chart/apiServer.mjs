// An API server of Kubernetes on an empty etcd, which refuses whatever a real cluster refuses at `kubectl apply`.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { run } from './run.mjs';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts both programs in a folder. `call` asks the API server; `stop` ends both. */
export async function startApiServer(folder) {
  mkdirSync(folder, { recursive: true });
  const [port, client, peer] = [await freePort(), await freePort(), await freePort()];
  const token = randomBytes(16).toString('hex');
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const key = join(folder, 'accounts.key');
  run('openssl', ['genrsa', '-out', key, '2048']);
  const store = `http://127.0.0.1:${client}`;
  const children = [
    start('etcd', folder, [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${store}`,
      `--advertise-client-urls=${store}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
    ]),
    start('kube-apiserver', folder, [
      `--etcd-servers=${store}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${join(folder, 'certs')}`,
      `--token-auth-file=${tokens}`,
      '--authorization-mode=RBAC',
      // Older releases of etcd, as in Debian, do not tell the cache how far it is.
      '--watch-cache=false',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
    ]),
  ];

  function call(method, path, body, type = 'application/json') {
    const ca = readFileSync(join(folder, 'certs/apiserver.crt'));
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': type } : {}) };
      const asked = request(
        { host: '127.0.0.1', servername: 'kubernetes', port, path, method, headers, ca },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part) => (text += part));
          answer.on('end', () => {
            const isJson = answer.headers['content-type']?.includes('json');
            resolve({
              status: answer.statusCode,
              warning: answer.headers.warning,
              body: isJson ? JSON.parse(text) : text,
            });
          });
        },
      );
      asked.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  async function stop() {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }

  try {
    await answers(async () => (await call('GET', '/readyz')).status === 200, children);
  } catch (error) {
    await stop();
    throw error;
  }
  return { call, stop };
}

function start(program, folder, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (log = (log + text).slice(-4_000)));
  child.on('exit', (code) => code && writeFileSync(join(folder, `${program}.log`), log));
  child.on('error', () => undefined);
  child.log = () => log;
  return child;
}

/** Waits until a condition holds; gives up after two minutes, or when a program has ended. */
export async function answers(holds, children = []) {
  for (const end = Date.now() + 120_000; ; await after(200)) {
    if (await holds().catch(() => false)) return;
    const dead = children.find(({ exitCode }) => exitCode !== null);
    if (dead || Date.now() > end)
      throw new Error(`The API server does not answer.\n${(dead ?? children.at(-1))?.log() ?? ''}`);
  }
}
