import { readOptions, runWithCore } from '../process/command.js';
import { keyUses } from './usage.js';

/**
 * `npm run keys:status`: lists the stored records under each key, and the keys that may be removed from their ring.
 * Exits with 1 while a record is not under a first key, so that a script can wait for it.
 */
await runWithCore(
  'keys',
  () => readOptions('npm run keys:status', {}),
  async ({ models, keys, clock }) => {
    const uses = await keyUses(models, clock.now());
    const rings = { ENCRYPTION_KEYS: keys.images, APP_KEYS: keys.tokens };
    const lines = uses.map(({ variable, what, keyId, records }) => {
      const current = rings[variable].current.id === keyId ? 'current' : 'older';
      return `${variable.padEnd(16)} ${keyId.padEnd(16)} ${current.padEnd(8)} ${String(records ?? 'some').padStart(9)}  ${what}`;
    });
    const waiting = uses.filter(
      (use) => use.variable === 'ENCRYPTION_KEYS' && use.keyId !== rings[use.variable].current.id,
    );
    const older = rings.ENCRYPTION_KEYS.all.slice(1).map(({ id }) => id);
    const free = older.filter((id) => waiting.every((use) => use.keyId !== id));
    process.stdout.write(
      [
        ...lines,
        '',
        waiting.length === 0
          ? 'All records are under the first key of ENCRYPTION_KEYS.'
          : 'The workers are still renewing records under older ENCRYPTION_KEYS.',
        ...(free.length > 0 ? [`May be taken out of ENCRYPTION_KEYS: ${free.join(', ')}.`] : []),
        '',
      ].join('\n'),
    );
    return waiting.length === 0;
  },
);
