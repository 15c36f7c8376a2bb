import { expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
import { buildPatient, signIn } from '../testing/factories.js';
import { buildGateway, joinGateway, MovableClock } from '../testing/gateway.js';

class FaultyClock extends MovableClock {
  broken = 0;
  faults = 0;

  override now(): Date {
    if (this.broken === 0) return super.now();
    this.broken--;
    this.faults++;
    throw new Error('planted in a timer');
  }
}

it('R56: a fault in a timer is one line of the log, and the timer continues', async () => {
  const first = await buildGateway();
  const clock = new FaultyClock();
  const test = await joinGateway(first.config, clock);
  try {
    const lines: string[] = [];
    test.gateway.warn = (error, text) => lines.push(`${text}: ${(error as Error).message}`);
    const person = await buildPatient(test.gateway);
    const { token, sessionId } = await signIn(test.gateway, person._id);
    const socket = await connectSocket(test.url, { token });
    // Nothing but timers asks for the time while nobody asks anything.
    clock.broken = 3;
    await expect.poll(() => clock.faults).toBe(3);
    await expect.poll(() => lines.length).toBeGreaterThan(0);
    expect(new Set(lines)).toEqual(
      new Set(['the poll for ended sessions failed; it is tried again: planted in a timer']),
    );
    // Ended behind the gateway's back: only its timer finds it.
    await first.gateway.models.Session.updateOne(
      { _id: sessionId },
      { $set: { endedAt: clock.now(), endReason: 'ended' } },
    );
    expect(await socket.until('session:revoked')).toEqual([{ reason: 'ended' }]);
  } finally {
    await test.stop();
    await first.stop();
  }
});
