/**
 * The one clock of all processes: MongoDB's. A machine with a wrong clock must not use it for tokens, shares and the
 * order of messages.
 */
export class Clock {
  private offset = 0;

  now(): Date {
    return new Date(Date.now() + this.offset);
  }

  /** `serverTime` was read between the two local times. */
  adjust(serverTime: Date, before: number, after: number): void {
    const offset = serverTime.getTime() - (before + after) / 2;
    // A smaller difference is noise of the round trip; the local clock is steadier.
    this.offset = Math.abs(offset) > 250 ? offset : 0;
  }
}
