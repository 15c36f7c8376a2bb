import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { readOptions, runCommand, say } from '../process/command.js';
import { Refused } from '../process/refused.js';
import { moveBlobs } from './move.js';
import { type StoreName, storeNames } from './names.js';

const usage = `npm run blobs:move -- --to ${storeNames.join('|')}`;

/** `npm run blobs:move -- --to gridfs|s3|file`: moves all images there while the product runs. May be repeated. */
await runCommand(async () => {
  const { values } = readOptions(usage, { to: { type: 'string' } });
  const to = values.to as StoreName;
  if (!storeNames.includes(to)) throw new Refused(`Name the store: ${usage}`);
  const config = loadConfig(process.env);
  // New blobs would go to the old store again, and the command would never be done.
  if (config.blobs.store !== to)
    throw new Refused(`Set BLOB_STORE=${to} first, for all processes, so that new images go there.`);
  const core = await createCore(config, 'blobs');
  try {
    const { blobs, bytes, left, damaged } = await moveBlobs(core, to, (moved) =>
      say(`${moved.blobs} moved, ${Math.round(moved.bytes / 1024 / 1024)} MiB`),
    );
    say(
      `Done: ${blobs} blobs (${bytes} bytes) are in ${to} now. ${left} without a record stay: uploads under way, and bytes that maintenance removes.`,
    );
    if (damaged > 0) throw new Refused(`${damaged} are damaged: they stay where they are, and the log names them.`);
    return true;
  } finally {
    await core.close();
  }
});
