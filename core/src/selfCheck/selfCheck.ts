import { type Check, checkNames, type SelfCheckReport } from '@lightbox/contract/selfCheck/report.js';
import type { Core } from '../core.js';
import { isAway } from '../db/away.js';
import { newId } from '../db/ids.js';
import { inTime } from '../db/inTime.js';
import type { Actor } from '../events/events.js';
import { withoutValues } from '../process/log.js';
import { checks } from './checks.js';
import { failed } from './seen.js';

/** The check of the audit log may have to read all of it, when it never was read. */
const TIMEOUT_MS = 10 * 60_000;

const running = new WeakMap<Core['models'], Promise<SelfCheckReport>>();

/** Runs all checks, keeps the report and records the act. A call during a run gets the report of that run. */
export function runSelfCheck(core: Core, actor: Actor): Promise<SelfCheckReport> {
  const current = running.get(core.models);
  if (current) return current;
  const made = check(core, actor).finally(() => running.delete(core.models));
  running.set(core.models, made);
  return made;
}

async function check(core: Core, actor: Actor): Promise<SelfCheckReport> {
  const results = await Promise.all(
    checkNames.map(async (name): Promise<Check> => {
      const seen = await inTime(checks[name](core), TIMEOUT_MS).catch((error: Error) => {
        core.log.warn({ check: name, reason: withoutValues(error.message) }, 'a check of the self-check did not work');
        return failed(isAway(error) ? 'unreachable' : 'error');
      });
      return { name, ...seen };
    }),
  );
  const report = { ok: results.every(({ state }) => state !== 'failed'), checks: results };
  const at = core.clock.now();
  await core.events.change(actor, async (tx) => {
    await core.models.Operation.updateOne({ _id: 'selfCheck' }, { $set: { at, report } }, { upsert: true, ...tx });
    tx.record({ type: 'overview.checked' });
    return newId(at);
  });
  if (!report.ok) core.log.error({ failed: namesOfFailed(report.checks) }, 'the self-check found a fault');
  return { at: at.toISOString(), ...report };
}

const namesOfFailed = (all: readonly Check[]) => all.filter(({ state }) => state === 'failed').map(({ name }) => name);

/** Returns the last report; null before the first self-check. */
export async function lastSelfCheck({ models }: Pick<Core, 'models'>): Promise<SelfCheckReport | null> {
  const last = await models.Operation.findById('selfCheck').lean();
  return last?.report ? { at: last.at.toISOString(), ...last.report } : null;
}
