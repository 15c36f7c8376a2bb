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

  const { services, networks } = model(settings);
  assert.deepEqual(Object.keys(services).sort(), [
    'gateway',
    'mongo',
    'prepare',
    'renderer',
    'valkey',
    'web',
    'worker',
  ]);
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    assert.equal(service.container_name, undefined, `${name} could not be scaled`);
    assert.equal(service.ports !== undefined, name === 'web', name);
  }
  assert.equal(networks.data.internal, true);
  assert.equal(services.worker.environment.REDIS_URL, 'rediss://lightbox:value-of-REDIS_PASSWORD@valkey:6379');
  assert.ok('mail' in model(settings, 'trial').services);
  console.log(`With them: ${Object.keys(services).length} services, and the mail catcher with the profile trial.`);
}

try {
  check();
} catch (error) {
  console.error(error instanceof StepError || error.code === 'ERR_ASSERTION' ? error.message : error.stack);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
