/**
 * The one clock of all processes: MongoDB's. A machine whose own clock is wrong must not judge tokens, shares and
 * the order of messages by it.
 */
export class Clock {
  private offset = 0;

  now(): Date {
    return new Date(Date.now() + this.offset);
  }

  /** `serverTime` as read between the two local moments. */
  adjust(serverTime: Date, before: number, after: number): void {
    const offset = serverTime.getTime() - (before + after) / 2;
    // Below the noise of a round trip our own clock is the steadier one.
    this.offset = Math.abs(offset) > 250 ? offset : 0;
  }
}
