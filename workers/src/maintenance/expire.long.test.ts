import { buildImage, buildShare } from '@lightbox/backend/testing/factories.js';
import { useGateway } from '@lightbox/backend/testing/useGateway.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { describe, expect, it, vi } from 'vitest';
import { eachApart } from './eachApart.js';
import { expireShares } from './expire.js';

const { test } = useGateway();

/** A share whose end a worker has recorded. */
const isEnded = async ({ _id }: { _id: ObjectId }): Promise<boolean> => {
  const { Share, Event } = test.gateway.models;
  const ended = await Share.exists({ _id, live: false }).readConcern(NEWEST);
  return Boolean(ended && (await Event.exists({ type: 'share.expire', records: _id }).readConcern(NEWEST)));
};

describe('The end of a share', () => {
  it('does not wait for that of a share whose image a transaction of a dead gateway holds', async () => {
    const { gateway } = test;
    const image = await buildImage(gateway);
    const blocked = [
      await buildShare(gateway, { image, hours: -3, verified: true }),
      await buildShare(gateway, { image, hours: -2, verified: true }),
    ];
    const free = await buildShare(gateway, { hours: -1, verified: true });
    const session = await gateway.db.startSession();
    session.startTransaction();
    await gateway.models.Image.updateOne({ _id: image._id }, { $inc: { touched: 1 } }, { session });
    const rounds: Promise<void>[] = [];
    const round = () => rounds.push(expireShares(gateway).catch(() => undefined));
    round();
    await expect.poll(() => isEnded(free)).toBe(true);
    // A share that ends during the next round does not wait either.
    const later = await buildShare(gateway, { hours: -1, verified: true });
    await Promise.all(rounds);
    round();
    await expect.poll(() => isEnded(later)).toBe(true);
    expect(await Promise.all(blocked.map(isEnded))).toEqual([false, false]);
    // MongoDB has not ended the transaction.
    await session.commitTransaction();
    await session.endSession();
    await Promise.all(rounds);
    for (const share of blocked) {
      await expect.poll(() => round() && isEnded(share)).toBe(true);
    }
  });
});

describe('Work on many records', () => {
  const records = Array.from({ length: 12 }, () => ({ _id: newId() }));
  const warn = vi.fn();
  const core = { log: { warn } } as never;

  it('goes on after one that fails, logs its id, and fails at the end', async () => {
    const [bad] = records;
    const done: unknown[] = [];
    const work = async (record: (typeof records)[number]) => {
      if (record === bad) throw new Error('no');
      done.push(record);
    };
    await expect(eachApart(core, 'tested', records, work)).rejects.toThrow('no');
    expect(done).toEqual(records.slice(1));
    expect(warn.mock.calls.map(([{ record }]) => record)).toEqual([String(bad?._id)]);
  });

  it('is done when those that go on beside the others end soon after them, as on a busy machine', async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 1_500));
    await eachApart(core, 'tested', records, (record) => (record === records[0] ? slow() : Promise.resolve()));
  });

  it('goes on beside those that hang, and begins none of them twice', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun: unknown[] = [];
    const work = (record: (typeof records)[number]) => {
      begun.push(record);
      return records.indexOf(record) < 6 ? released : Promise.resolve();
    };
    await expect(eachApart(core, 'tested', records, work)).rejects.toThrow();
    expect(begun).toHaveLength(12);
    await expect(eachApart(core, 'tested', records.slice(0, 6), work)).rejects.toThrow();
    expect(begun).toHaveLength(12);
    release();
    await eachApart(core, 'tested', records.slice(0, 6), work);
    await eachApart(core, 'tested', records, work);
    expect(begun.slice(-12)).toEqual(records);
  });
});
