import { readOptions, runWithCore, say } from '../process/command.js';
import { Refused } from '../process/refused.js';
import { anchored, parseHead } from './anchor.js';
import { faultOfArchives } from './archives.js';
import { readBase } from './base.js';
import { verifyAudit } from './verify.js';

const usage = 'npm run audit:verify [-- SEQ:HASH] [--new] [--archive FILE]';

function read() {
  const options = { new: { type: 'boolean' }, archive: { type: 'string', multiple: true } } as const;
  const { values, positionals } = readOptions(usage, options, { words: true });
  const heads = positionals.map((text) => {
    const head = parseHead(text);
    if (!head) throw new Refused(`“${text}” is not a head, SEQ:HASH.\nUsage: ${usage}`);
    return head;
  });
  return { heads, archives: values.archive ?? [], onlyNew: values.new === true };
}

/**
 * `npm run audit:verify [-- SEQ:HASH]`: recomputes the chain and exits with 1 when an entry was changed, is missing or
 * is in the wrong place, or reports a foreign or missing event. SEQ:HASH is a head from the log of the service or from
 * an anchor: with it not even a whole older database passes. `--new` reads from the last checkpoint on. Each
 * `--archive FILE` verifies a file of `npm run audit:archive`, and all of them that the log continues them without a hole.
 */
await runWithCore('audit', read, async (core, { heads, archives, onlyNew }) => {
  const { models, keys, config } = core;
  const noted = [...heads, ...(await anchored(config.auditAnchor))];
  const since = onlyNew ? 'checkpoint' : 'start';
  const { ok, checked, firstBroken, reason } = await verifyAudit(models, keys.audit, { since, noted });
  const fault = archives.length > 0 ? await faultOfArchives(core, archives) : null;
  const base = await readBase(models, keys.audit);
  say(
    ok
      ? `The audit chain is intact: ${checked} entries.`
      : `The audit chain is broken at entry ${firstBroken} (${reason}); ${checked} entries were read.`,
  );
  if (base) say(`The entries up to ${base.seq} are archived; the log in the database begins after them.`);
  if (archives.length > 0) say(fault ?? 'The archives are intact, and the log continues them.');
  return ok && fault === null;
});
