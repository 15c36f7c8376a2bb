import type { CheckFact, CheckFault, CheckState } from '@lightbox/contract/selfCheck/report.js';

type Facts = Partial<Record<CheckFact, number | string | undefined>>;

/** The result of one check. */
export interface Seen {
  state: CheckState;
  fault?: CheckFault;
  saw: { fact: CheckFact; value: number | string }[];
}

const listed = (facts: Facts): Seen['saw'] =>
  (Object.entries(facts) as [CheckFact, number | string | undefined][]).flatMap(([fact, value]) =>
    value === undefined || value === Number.POSITIVE_INFINITY ? [] : [{ fact, value }],
  );

export const ok = (facts: Facts = {}): Seen => ({ state: 'ok', saw: listed(facts) });
export const skipped = (facts: Facts = {}): Seen => ({ state: 'skipped', saw: listed(facts) });
export const failed = (fault: CheckFault, facts: Facts = {}): Seen => ({ state: 'failed', fault, saw: listed(facts) });
