// Rehearses an upgrade: this version starts beside the release before it, both under load. See docs/operations/upgrades.md.
// `npm run rehearse [-- --from <git ref> --seconds 20 --json <file>]`. It starts everything itself and leaves only the
// clone of the older version, in `.cache/rehearsal`.
import { parseArgs } from 'node:util';
import { printTable, writeJson } from './bench/report.js';
import { prepareOlder } from './rehearse/olderVersion.js';
import { rehearse } from './rehearse/rehearsal.js';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
});
const rows = await rehearse(prepareOlder(values.from), Number(values.seconds));
printTable(rows);
if (values.json) writeJson(values.json, rows);
process.exit(rows.some((row) => row.met === false) ? 1 : 0);
