import type { Config } from '../config/config.js';
import { configExitCode, loadConfig } from '../config/env.js';
import type { Core } from '../core.js';
import { reportReady, whenLauncherIsGone } from './launcherLink.js';

interface Running {
  core: Core;
  /** Resolves when it serves; rejects when it never will. */
  ready: Promise<void>;
  stop: () => Promise<void>;
}

/** The most that stopping takes; whoever asked has been promised ten seconds. */
const TIMEOUT_MS = 9_500;

/**
 * The life of a gateway or worker process: starts it with the configuration from outside, says when it serves, and stops
 * it once, by signal or with its launcher, also while it still waits for what it needs.
 */
export async function runProcess(start: (config: Config) => Promise<Running>): Promise<void> {
  const { core, ready, stop } = await started(start);
  let stopping = false;
  const stopOnce = (): void => {
    if (stopping) return;
    stopping = true;
    // Whatever is awaited from a dependency that is away: nobody waits for us longer than this.
    setTimeout(() => process.exit(1), TIMEOUT_MS).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stopOnce);
  process.on('SIGINT', stopOnce);
  // The terminal may be gone before we are.
  process.stdout.on('error', () => undefined);
  process.on('unhandledRejection', (error) => core.log.error({ err: error }, 'unhandled rejection'));
  whenLauncherIsGone(stopOnce);
  ready.then(reportReady, (error) => {
    if (!stopping) end(error);
  });
}

async function started(start: (config: Config) => Promise<Running>): Promise<Running> {
  try {
    return await start(loadConfig(process.env));
  } catch (error) {
    return end(error);
  }
}

/** In words for people, and so that a supervisor can tell what no second try will mend. */
function end(error: unknown): never {
  const { name, message } = error as Error;
  process.stderr.write(`${message}\n`);
  process.exit(name === 'ConfigError' ? configExitCode : 1);
}
