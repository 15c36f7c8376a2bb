import { testConfig } from '@lightbox/testkit/config.js';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type Core, createCore } from '../core.js';
import { Clock } from './clock.js';
import { DiskReserve } from './diskReserve.js';

const HOUR_MS = 3_600_000;
let core: Core;
beforeAll(async () => {
  core = await createCore(await testConfig(), 'test');
});
afterAll(() => core.close());
afterEach(() => void vi.useRealTimers());

/** Time goes on by the test alone from here. */
const stop = () => vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
/** The clock of this machine jumps by `ms`, and then time goes on for `later`. */
function jump(ms: number, later: number) {
  vi.setSystemTime(Date.now() + ms);
  vi.advanceTimersByTime(later);
}

it('The clock of the product does not follow a jump of the machine’s clock.', () => {
  const clock = new Clock();
  stop();
  clock.adjust(new Date(), performance.now(), performance.now());
  const time = clock.now().getTime();
  jump(HOUR_MS, 1_000);
  expect(clock.now().getTime() - time).toBe(1_000);
});

it('The clock of the product says how far it is ahead of the machine’s.', () => {
  const clock = new Clock();
  stop();
  clock.adjust(new Date(Date.now() + 25 * HOUR_MS), performance.now(), performance.now());
  expect(clock.aheadOfMachine()).toBeCloseTo(25 * HOUR_MS);
  jump(HOUR_MS, 0);
  expect(clock.aheadOfMachine()).toBeCloseTo(24 * HOUR_MS);
});

it.each([0, 2 * HOUR_MS])(
  'The clock of the product follows MongoDB’s, which is %d ms ahead of the machine’s.',
  (ahead) => {
    const clock = new Clock();
    const before = performance.now();
    clock.adjust(new Date(Date.now() + ahead), before, performance.now());
    expect(Math.abs(clock.now().getTime() - Date.now() - ahead)).toBeLessThan(250);
  },
);

it('A setting that changes takes effect also after the machine’s clock was set back.', async () => {
  const { Setting } = core.models;
  const name = 'session.idleMinutes';
  const at = new Date();
  await Setting.create({ name, value: '60', createAt: at, updatedAt: at });
  stop();
  core.settings.forget();
  expect(await core.settings.get(name)).toBe(60);
  await Setting.updateOne({ name }, { $set: { value: '15' } });
  jump(-HOUR_MS, 3_000);
  expect(await core.settings.get(name)).toBe(15);
});

it('Free space is read again also after the machine’s clock was set back.', async () => {
  let asked = 0;
  const command = async () => {
    asked++;
    return { fsTotalSize: 100e9, fsUsedSize: 60e9 };
  };
  const config = { reserveBytes: null, blobs: { store: 'gridfs', dir: null } };
  const reserve = new DiskReserve({ db: { command } } as never, config as never);
  stop();
  const giveBack = await reserve.take(10e9);
  giveBack?.();
  expect(await reserve.fits(10e9)).toBe(false);
  jump(-HOUR_MS, 6_000);
  expect([await reserve.fits(10e9), asked]).toEqual([true, 2]);
});
