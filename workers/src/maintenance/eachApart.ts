import type { Core } from '@lightbox/core/core.js';
import { inTime, NotInTime } from '@lightbox/core/db/inTime.js';

/** Records of one task that are worked on at the same time. */
const WIDTH = 4;
/** A record takes some milliseconds. The others do not wait longer for one. */
const PATIENCE_MS = 1_000;
/** After all had their turn, those that go on get this time together. On a busy machine every record is slow. */
const LAST_PATIENCE_MS = 3_000;
/** So many records may go on beside the others. With more of them, MongoDB itself is slow, and all wait. */
const MOST_BESIDE = 40;

/** The work of this process that has not ended, by task and record. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Works on each record. One that fails, or waits for another's transaction, does not hold back the others: it is logged, or
 * goes on beside them. Rejects at the end unless all are done, so that the next round comes soon. That round does not begin
 * again what still goes on, and takes it last.
 */
export async function eachApart<R extends { _id: unknown }>(
  { log }: Pick<Core, 'log'>,
  task: string,
  records: readonly R[],
  work: (record: R) => Promise<unknown>,
): Promise<void> {
  const keyOf = ({ _id }: R) => `${task} ${_id}`;
  const begin = (record: R): Promise<unknown> => {
    const done = work(record)
      .catch((error: unknown) => {
        log.warn({ err: error, task, record: String(record._id) }, 'maintenance of a record failed; trying again');
        throw error;
      })
      .finally(() => underWay.delete(keyOf(record)));
    underWay.set(keyOf(record), done);
    return done;
  };
  const left = [
    ...records.filter((record) => !underWay.has(keyOf(record))),
    ...records.filter((record) => underWay.has(keyOf(record))),
  ];
  const beside: Promise<unknown>[] = [];
  const faults: unknown[] = [];
  const goThrough = async () => {
    for (let record = left.shift(); record; record = left.shift()) {
      const done = underWay.get(keyOf(record)) ?? begin(record);
      const waited = underWay.size > MOST_BESIDE ? done : inTime(done, PATIENCE_MS);
      await waited.catch((error: unknown) => {
        if (error instanceof NotInTime) beside.push(done);
        else faults.push(error);
      });
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, goThrough));
  await inTime(Promise.all(beside), LAST_PATIENCE_MS).catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw faults[0];
}
