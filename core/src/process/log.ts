import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from '../config/config.js';
import { isTracing, traceIds } from '../tracing/traces.js';
import { seldom } from './seldom.js';

export type { Logger };

/**
 * Writes JSON lines in production, and readable lines on a terminal. Log lines contain opaque ids, codes and durations.
 * If a secret or a person's field slips into an object all the same, it is redacted here.
 */
export function createLogger(config: Pick<Config, 'production' | 'logLevel'>, service: string): Logger {
  const options: LoggerOptions = {
    level: config.logLevel,
    base: { service },
    serializers: { err: plainError },
    ...(isTracing() ? { mixin: traceIds } : {}),
    redact: ['*.password', '*.token', '*.code', '*.email', '*.content', 'req.headers', 'res.headers'],
  };
  const pretty = !config.production && process.stdout.isTTY;
  if (!pretty) return pino(options, output());
  return pino({ ...options, transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname,service' } } });
}

/** Characters of lines that wait while they cannot be written. Later ones are dropped. */
const WAITING = 1_000_000;

/** Standard output. While it cannot be written, as on a full disk, the process goes on. */
function output(): DestinationStream {
  const stdout = pino.destination({ sync: false, maxLength: WAITING });
  const flushSync = stdout.flushSync.bind(stdout);
  stdout.on('error', () => {
    // At the end of the process it would try for ever.
    stdout.flushSync = () => undefined;
  });
  stdout.on('write', () => {
    stdout.flushSync = flushSync;
  });
  return stdout;
}

/**
 * Returns an error without the data that it carries: a driver's error may contain the documents that were to be
 * written, and the value of a duplicate key.
 */
export function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: typeof error };
  const { name, stack, code } = error as Error & { code?: unknown };
  const [said, places] = [error.message, stack].map(withoutValues);
  return { type: name, message: said, stack: places, ...(code === undefined ? {} : { code }) };
}

/** Leaves out the values of a unique index. A value may contain braces, so everything up to the last one of its line goes. */
export const withoutValues = (text = ''): string => text.replace(/dup key: \{.*\}/g, 'dup key');

const QUIET_MS = 10_000;

/**
 * Returns a function that logs each warning at most once in ten seconds, for warnings that may occur many times a
 * second while a dependency is away.
 */
export function occasionally(log: Logger): (error: unknown, text: string) => void {
  const isDue = seldom(QUIET_MS);
  return (error, text) => {
    if (isDue(text)) log.warn({ reason: withoutValues((error as Error).message) }, text);
  };
}
