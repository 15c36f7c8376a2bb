import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { configExitCode, loadConfig } from '../config/env.js';
import type { Core } from '../core.js';
import { startTraces } from '../tracing/start.js';
import { reportReady, whenLauncherIsGone } from './launcherLink.js';

interface Running {
  core: Core;
  /** Resolves when the process serves; rejects when it never will. */
  ready: Promise<void>;
  stop: () => Promise<void>;
}

/**
 * The longest time that stopping takes, milliseconds. Callers are promised ten seconds, and on a busy machine the signal and
 * the timer come late and the exit takes a moment.
 */
const TIMEOUT_MS = 9_000;
const TRACES_MS = 1_000;

/**
 * Runs a gateway or worker process: starts it with the configuration from the environment, reports when it serves, and
 * stops it once, by signal or with its launcher, also while it waits for a dependency.
 */
export async function runProcess(service: string, start: (config: Config) => Promise<Running>): Promise<void> {
  let endTraces = async (): Promise<void> => undefined;
  const { core, ready, stop } = await started(async (config) => {
    // First: the log asks if there are traces.
    endTraces = await startTraces(config, service);
    return start(config);
  });
  let stopping = false;
  const stopOnce = (): void => {
    if (stopping) return;
    stopping = true;
    // A dependency that is away must not delay the exit longer than this.
    setTimeout(() => process.exit(1), TIMEOUT_MS).unref();
    // Without a collector the last spans are lost, and the process ends in time all the same.
    const sent = () => Promise.race([endTraces().catch(() => undefined), pause(TRACES_MS)]);
    stop()
      .then(sent)
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  process.on('SIGTERM', stopOnce);
  process.on('SIGINT', stopOnce);
  // The terminal may be gone before this process.
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

/** Prints the fault for people and exits. The exit code shows a supervisor whether a retry can help. */
function end(error: unknown): never {
  const { name, message } = error as Error;
  process.stderr.write(`${message}\n`);
  process.exit(name === 'ConfigError' ? configExitCode : 1);
}
