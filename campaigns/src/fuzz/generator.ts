import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const requirements = join(root, 'campaigns/fuzz/requirements.txt');
const hooks = join(root, 'campaigns/fuzz/hooks.py');
const config = join(root, 'campaigns/fuzz/schemathesis.toml');
const environment = join(root, '.cache/fuzz');

/** The options of one run of the generator. */
export interface Effort {
  examples: number;
  seconds: number | undefined;
  seed: number;
}

export class NoPython extends Error {}

/** Installs schemathesis once, at the pinned version, into a virtual environment below `.cache`. */
export function prepareGenerator(say: (line: string) => void): string {
  const wanted = readFileSync(requirements, 'utf8').trim();
  const folder = join(environment, wanted.replace('==', '-'));
  const program = join(folder, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  const python = ['python3.13', 'python3.12', 'python3.11', 'python3'].find(isRecent);
  if (!python)
    throw new NoPython('The fuzz of the API needs Python 3.11 or newer on the PATH. (`sockets` and `files` do not.)');
  say(`Installing ${wanted} (once) …`);
  mkdirSync(environment, { recursive: true });
  run(python, ['-m', 'venv', folder]);
  run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  return program;
}

const isRecent = (name: string): boolean =>
  spawnSync(name, ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 11))']).status === 0;

function run(command: string, args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new NoPython(`\`${command} ${args.join(' ')}\` failed: ${stderr}`);
}

/** The checks of every answer. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
];

/** Runs schemathesis once over all calls. Resolves to its report. */
export async function generate(
  program: string,
  api: string,
  desk: string,
  folder: string,
  { examples, seconds, seed }: Effort,
): Promise<{ report: string; output: string; status: number | null }> {
  mkdirSync(folder, { recursive: true });
  const report = join(folder, 'report.json');
  const args = [
    `--config-file=${config}`,
    'run',
    `${api}/openapi.json`,
    `--checks=${checks.join()}`,
    '--phases=examples,coverage,fuzzing,stateful',
    `--max-examples=${examples}`,
    ...(seconds ? [`--max-time=${seconds}`] : []),
    `--seed=${seed}`,
    '--continue-on-failure',
    '--suppress-health-check=all',
    '--generation-database=none',
    '--request-timeout=30',
    '--report=json',
    `--report-json-path=${report}`,
    '--warnings=off',
    '--no-color',
    '--workers=1',
  ];
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, SCHEMATHESIS_HOOKS: hooks, LIGHTBOX_FUZZ_DESK: desk, PYTHONHASHSEED: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part;
    });
  }
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { report, output, status };
}
