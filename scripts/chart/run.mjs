import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StepError } from '../setup.mjs';

export const isOnPath = (name) => (process.env.PATH ?? '').split(delimiter).some((at) => existsSync(join(at, name)));

/** Runs a program and returns what it printed; throws when it fails. */
export function run(command, args, input) {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', input, maxBuffer: 2 ** 28 });
  if (error) throw new StepError(error.code === 'ENOENT' ? `${command} is not on the path.` : String(error));
  if (status !== 0) throw new StepError(`${command} ${args.slice(0, 3).join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}
