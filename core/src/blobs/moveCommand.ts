import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { moveBlobs } from './move.js';
import { type StoreName, storeNames } from './names.js';

/** `npm run blobs:move -- --to gridfs|s3|file`: moves all images there while the product runs. May be repeated. */
const to = process.argv[process.argv.indexOf('--to') + 1] as StoreName;
if (!process.argv.includes('--to') || !storeNames.includes(to)) {
  process.stderr.write(`Name the store: npm run blobs:move -- --to ${storeNames.join('|')}\n`);
  process.exit(1);
}
const config = loadConfig(process.env);
// New blobs would go to the old store again, and the command would never be done.
if (config.blobs.store !== to) {
  process.stderr.write(`Set BLOB_STORE=${to} first, for all processes, so that new images go there.\n`);
  process.exit(1);
}
const core = await createCore(config, 'blobs');
const { blobs, bytes, left, damaged } = await moveBlobs(core, to, (moved) =>
  process.stdout.write(`${moved.blobs} moved, ${Math.round(moved.bytes / 1024 / 1024)} MiB\n`),
);
await core.close();
process.stdout.write(
  `Done: ${blobs} blobs (${bytes} bytes) are in ${to} now. ${left} without a record stay: uploads under way, and bytes that maintenance removes.\n`,
);
if (damaged > 0) {
  process.stderr.write(`${damaged} are damaged: they stay where they are, and the log names them.\n`);
  process.exitCode = 1;
}
