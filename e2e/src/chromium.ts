import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const cacheDir = join(import.meta.dirname, '../../.cache');

/** With a microphone that beeps, which every page may use. */
const flags = [
  ...['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-gpu'],
  ...['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
];

/**
 * For the many short visits of the journeys. V8 optimizes no code, because the page ends before that pays, and begins with a
 * large heap, so it seldom collects garbage. The measurements of `vitals.ts` use the usual settings.
 */
const shortVisits = '--js-flags=--no-opt --initial-heap-size=256 --min-semi-space-size=32';

/** The options of the journeys' browser. */
export const forJourneys: LaunchOptions = { args: [...flags, shortVisits] };

/** The options of a browser that has no WebGL. There the viewer draws in JavaScript, so V8 optimizes. */
export const withoutWebGl: LaunchOptions = { args: ['--no-sandbox', '--disable-gpu', '--disable-3d-apis'] };

/** Hides from a page that WebGL is drawn by software, so that the viewer uses it as on a graphics card. */
export const asGraphicsCard = `for (const one of [WebGLRenderingContext, WebGL2RenderingContext]) {
  const read = one.prototype.getParameter;
  one.prototype.getParameter = function (name) {
    return name === 37446 ? 'ANGLE (Test)' : read.call(this, name);
  };
}`;

/** Starts a headless Chromium: on Linux x64 the one from npm, elsewhere the one that Playwright has installed. */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ args: flags, ...(packaged() ? fromNpm() : {}), ...options });
}

const packaged = (): boolean => process.platform === 'linux' && process.arch === 'x64';

function fromNpm(): LaunchOptions {
  const folder = unpacked();
  const executablePath = join(folder, 'chromium');
  // Use the font of the package, because the machine may have none; its NSS libraries only if the system lacks them.
  const env: Record<string, string> = { ...definedEnv(), FONTCONFIG_PATH: join(folder, 'fonts') };
  if (lacksLibraries(executablePath)) {
    env.LD_LIBRARY_PATH = [join(folder, 'al2023/lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  }
  return { executablePath, env };
}

const definedEnv = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

function lacksLibraries(executable: string): boolean {
  try {
    return execFileSync('ldd', [executable], { encoding: 'utf8' }).includes('not found');
  } catch {
    return true;
  }
}

/**
 * Unpacks the browser once, into a folder in the cache. By itself the package unpacks into the temporary folder, where an
 * interrupted unpacking leaves a broken browser. Here the folder gets its final name only when it is complete.
 */
function unpacked(): string {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(join(entry, '../../../package.json'), 'utf8')) as { version: string };
  const folder = join(cacheDir, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheDir, { recursive: true });
  const draft = mkdtempSync(join(cacheDir, 'chromium-'));
  // With this variable of AWS Lambda, the package unpacks the libraries too.
  const env = { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
  execFileSync(process.execPath, ['-e', `require(${JSON.stringify(entry)}).executablePath()`], { env });
  writeFileSync(join(draft, 'fonts/fonts.conf'), fontsConf);
  return publish(draft, folder);
}

/** The font configuration of the package names folders of AWS Lambda. */
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
</fontconfig>
`;

/** Gives the folder its final name. If another process was faster, uses its folder, which is the same. */
function publish(draft: string, folder: string): string {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}
