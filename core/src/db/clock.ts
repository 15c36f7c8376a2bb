/**
 * The one clock of all processes: MongoDB's. A machine with a wrong clock must not use it for tokens, shares and the
 * order of messages. Between two readings the time goes on with the process, so that a jump of the machine's clock ends
 * nothing.
 */
export class Clock {
  /** The time at which `performance.now()` was 0, in ms. */
  private zero = zeroHere();

  now(): Date {
    return new Date(this.zero + performance.now());
  }

  /** The milliseconds by which MongoDB's clock, when it was read last, is ahead of this machine's. */
  aheadOfMachine(): number {
    return this.zero - zeroHere();
  }

  /** `serverTime` was read between the two moments of `performance.now()`. */
  adjust(serverTime: Date, before: number, after: number): void {
    const zero = serverTime.getTime() - (before + after) / 2;
    const here = zeroHere();
    // A smaller difference is noise of the round trip; the local clock is steadier.
    this.zero = Math.abs(zero - here) > 250 ? zero : here;
  }
}

const zeroHere = () => Date.now() - performance.now();
