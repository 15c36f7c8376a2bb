// `npm run check:compose`: loads docker-compose.yml with the Compose project's own parser (infra/compose, needs Go).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, StepError } from './setup.mjs';

const folder = mkdtempSync(join(tmpdir(), 'lightbox-compose-'));
const program = join(folder, 'compose');

function run(command, args, options) {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (error?.code === 'ENOENT') throw new StepError(`${command} is not on the path.`);
  return { status, stdout, stderr };
}

/** Loads the file with these settings and no others. */
const load = (env, ...profiles) => run(program, [join(root, 'docker-compose.yml'), ...profiles], { env });

function model(env, ...profiles) {
  const { status, stdout, stderr } = load(env, ...profiles);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

function check() {
  const built = run('go', ['build', '-o', program, '.'], { cwd: join(root, 'infra/compose') });
  if (built.status !== 0) throw new StepError(`The parser does not build:\n${built.stderr}`);

  const secrets = ['APP_KEYS', 'ENCRYPTION_KEYS', 'MONGO_PASSWORD', 'REDIS_PASSWORD'];
  const needed = ['PUBLIC_URL', 'SMTP_URL', ...secrets];
  const settings = Object.fromEntries(needed.map((name) => [name, `value-of-${name}`]));

  for (const missing of [needed, ...needed.map((name) => [name])]) {
    const given = Object.fromEntries(Object.entries(settings).filter(([name]) => !missing.includes(name)));
    const { status, stderr } = load(given);
    assert.notEqual(status, 0, `The file loads without ${missing}.`);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    for (const name of needed) assert.match(stderr, new RegExp(name));
    if (missing === needed) console.log(`Without settings: ${stderr.trim()}`);
  }

  const always = ['gateway', 'mongo', 'prepare', 'renderer', 'valkey', 'web', 'worker'];
  assert.deepEqual(Object.keys(model(settings).services).sort(), always);
  const { services, networks } = model(settings, 'backup', 'dicom', 'trial');
  assert.deepEqual(Object.keys(services).sort(), [...always, 'backup', 'dicom', 'mail'].sort());
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    // Without another line here, the engine's own seccomp profile holds.
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    assert.equal(service.container_name, undefined, `${name} could not be scaled`);
    assert.equal(service.ports !== undefined, ['web', 'dicom', 'mail'].includes(name), name);
    if (name === 'prepare') continue;
    assert.match(service.user, /^[1-9]\d*:[1-9]\d*$/, name);
    if (name === 'backup') continue;
    assert.ok(service.healthcheck?.test, `${name} has no health check`);
  }
  assert.equal(networks.data.internal, true);
  assert.equal(services.worker.environment.REDIS_URL, 'rediss://lightbox:value-of-REDIS_PASSWORD@valkey:6379');
  console.log(`With them: ${always.length} services; mail, dicom and backup only with their profiles.`);
}

try {
  check();
} catch (error) {
  console.error(error instanceof StepError || error.code === 'ERR_ASSERTION' ? error.message : error.stack);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
