import { loadConfig } from '../config/env.js';
import { type Core, createCore } from '../core.js';
import { isAway } from '../db/away.js';
import { Refused } from './refused.js';

/** Runs a command and ends the process: with 0 when the work returns true, else with 1. */
export async function runCommand(work: () => Promise<boolean>): Promise<never> {
  try {
    if (await work()) process.exit(0);
  } catch (error) {
    process.stderr.write(faultText(error as Error));
  }
  process.exit(1);
}

/** Runs the work of a command that needs the database, with the configuration of the environment. */
export const runWithCore = (service: string, work: (core: Core) => Promise<boolean>): Promise<never> =>
  runCommand(async () => {
    const core = await createCore(loadConfig(process.env), service);
    try {
      return await work(core);
    } finally {
      await core.close();
    }
  });

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Returns one sentence for a fault that people can mend, and the stack for a fault of the program. */
export function faultText(error: Error): string {
  if (error instanceof Refused || error.name === 'ConfigError') return `\n${error.message}\n\n`;
  if (isAway(error)) return `A server that this command needs does not answer: ${error.message}\n`;
  return `${error.stack}\n`;
}
