import { checkFacts, type SelfCheckReport } from '@lightbox/contract/selfCheck/report.js';
import { checkWords } from '@lightbox/contract/selfCheck/words.js';

const signs = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' };
const units = { count: '', text: '', seconds: ' s', milliseconds: ' ms', bytes: ' bytes' };

/** Returns the report for a terminal, one line for each check. */
export function reportText({ at, checks }: SelfCheckReport): string {
  const lines = checks.map(({ name, state, fault, saw }) => {
    const facts = saw.map(({ fact, value }) => `${checkWords.fact[fact]} ${value}${units[checkFacts[fact]]}`);
    const said = [...(fault ? [checkWords.fault[fault]] : []), facts.join(', ')].join(' ');
    return `${signs[state].padEnd(8)} ${checkWords.name[name].padEnd(22)} ${said}`.trimEnd();
  });
  return `Self-check of ${at}\n${lines.join('\n')}\n`;
}
