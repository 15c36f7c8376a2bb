// Runs `npm start`, and the other npm commands that run compiled code (`commands`).
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root, StepError, setup } from './setup.mjs';

/**
 * With `joins`, a command needs a running instance or addresses of its own. The others use an instance if one runs. With
 * `targets`, its `--mongodb-uri`, or else RESTORE_MONGODB_URI, takes the place of MONGODB_URI.
 */
const commands = {
  backend: { main: 'backend/dist/main.js', joins: true },
  workers: { main: 'workers/dist/main.js', joins: true },
  dicom: { main: 'backend/dist/receiver/main.js', joins: true },
  renderer: { main: 'workers/dist/renderer.js', joins: false },
  'admin:code': { main: 'backend/dist/auth/adminCodeCommand.js', joins: true },
  'audit:verify': { main: 'core/dist/audit/verifyCommand.js', joins: true },
  'audit:adopt': { main: 'core/dist/audit/adoptCommand.js', joins: true },
  'audit:archive': { main: 'core/dist/audit/archiveCommand.js', joins: true },
  migrate: { main: 'core/dist/models/migrateCommand.js', joins: true },
  'blobs:move': { main: 'core/dist/blobs/moveCommand.js', joins: true },
  backup: { main: 'core/dist/backup/backupCommand.js', joins: true },
  restore: { main: 'core/dist/backup/restoreCommand.js', joins: true, targets: true },
  'self-check': { main: 'core/dist/selfCheck/command.js', joins: true },
  'keys:status': { main: 'core/dist/keys/statusCommand.js', joins: true },
  lightbox: { main: 'client/dist/lightbox.mjs', joins: false },
  fuzz: { main: 'campaigns/dist/fuzz.js', joins: false },
  bench: { main: 'campaigns/dist/bench.js', joins: false },
  vitals: { main: 'e2e/dist/vitals.js', joins: false },
  fidelity: { main: 'campaigns/dist/fidelity.js', joins: false },
  'check:dicom': { main: 'campaigns/dist/dicom.js', joins: false },
  'check:dicomweb': { main: 'campaigns/dist/dicomWeb.js', joins: false },
  'check:ohif': { main: 'campaigns/dist/ohif.js', joins: false },
  'check:fhir': { main: 'campaigns/dist/fhir.js', joins: false },
  evaluate: { main: 'campaigns/dist/evaluate.js', joins: false },
  chaos: { main: 'campaigns/dist/chaos.js', joins: false },
  rehearse: { main: 'campaigns/dist/rehearse.js', joins: false },
  scale: { main: 'campaigns/dist/scaling.js', joins: false },
};

const load = (file) => import(pathToFileURL(join(root, file)).href);

async function start() {
  const { launch } = await load('launcher/dist/launch.js');
  process.exit(await launch(process.env));
}

/** Runs a command in this process, so that signals reach it directly. */
async function runCommand({ main, joins, targets }) {
  if (!existsSync(join(root, main))) throw new StepError(`${main} is missing. Run \`npm run build\`.`);
  if (targets) {
    const { values } = parseArgs({ options: { 'mongodb-uri': { type: 'string' } }, strict: false });
    const target = values['mongodb-uri'] ?? process.env.RESTORE_MONGODB_URI;
    if (target && typeof target === 'string') process.env.MONGODB_URI = target;
  }
  if (joins) {
    const { joinEnv } = await load('launcher/dist/instance.js');
    Object.assign(process.env, joinEnv(process.env, resolve(process.env.DATA_DIR || '.data')));
  }
  // As in a container, where Node is called with this file.
  process.argv.splice(1, 2, join(root, main));
  await load(main);
}

/** Stops this process after its parent. npm signals a shell, and that shell ends without forwarding the signal. */
function stopWithNpm() {
  const { ppid } = process;
  if (!['start', ...Object.keys(commands)].includes(process.env.npm_lifecycle_event)) return;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}

try {
  stopWithNpm();
  await setup();
  const [name] = process.argv.slice(2);
  if (name === undefined) await start();
  else if (commands[name]) await runCommand(commands[name]);
  else throw new StepError(`There is no command "${name}". Use one of ${Object.keys(commands).join(', ')}, or none.`);
} catch (error) {
  console.error(`\n${error instanceof StepError || error.name === 'ConfigError' ? error.message : error.stack}\n`);
  process.exit(1);
}
