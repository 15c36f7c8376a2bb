import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Returns a Python with these packages. They are installed once, in a folder of their own. */
export function pythonWith(name: string, packages: readonly string[]): string {
  const environment = resolve('.cache', name);
  const program = join(environment, 'bin/python');
  if (!existsSync(program)) {
    execFileSync(process.env.PYTHON ?? 'python3', ['-m', 'venv', environment], { stdio: 'inherit' });
    execFileSync(program, ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'inherit' });
  }
  return program;
}
