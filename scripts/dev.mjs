// `npm run dev`: recompiles on every change, restarts gateway and workers if their code has changed, and serves the web app
// from its sources with hot reload, on port 5173.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { root, StepError, setup } from './setup.mjs';

const web = 'http://localhost:5173';
const compiled = ['contract', 'core', 'launcher', 'backend', 'workers'].map((name) => join(root, name, 'dist'));

const start = (args, env = {}) =>
  spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });

let server;
let restart = Promise.resolve();
let timer;

function startServer() {
  // The gateway must know the origin from which the browser comes.
  server = start(
    ['-e', "import('./launcher/dist/launch.js').then(async (m) => process.exit(await m.launch(process.env)))"],
    {
      PUBLIC_URL: process.env.PUBLIC_URL || web,
    },
  );
}

const stopServer = () =>
  new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve();
    server.once('exit', resolve);
    server.kill('SIGTERM');
  });

/** Restarts the server after a pause, because one compilation writes many files. */
function onChange() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    restart = restart.then(stopServer).then(startServer);
  }, 400);
}

try {
  await setup();
  const tools = [
    start([join(root, 'node_modules/typescript/bin/tsc'), '-b', '--watch', '--preserveWatchOutput']),
    start([join(root, 'node_modules/vite/bin/vite.js'), '--port', '5173', '--strictPort', join(root, 'frontend')]),
  ];
  startServer();
  for (const folder of compiled) watch(folder, { recursive: true }, onChange);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      clearTimeout(timer);
      for (const tool of tools) tool.kill();
      await restart.then(stopServer);
      process.exit(0);
    });
  }
} catch (error) {
  console.error(`\n${error instanceof StepError ? error.message : error.stack}\n`);
  process.exit(1);
}
