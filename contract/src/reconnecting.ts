/** How a client that lost its socket comes back: soon, then ever later, and never in step with the others. For socket.io. */
export const reconnecting = {
  reconnectionDelay: 500,
  reconnectionDelayMax: 5_000,
  randomizationFactor: 0.5,
} as const;

/** The wait, in milliseconds and as random, after so many refusals, or a kick: those socket.io leaves to the client. */
export function waitAfter(refusals: number): number {
  const { reconnectionDelay, reconnectionDelayMax, randomizationFactor } = reconnecting;
  const wait = Math.min(reconnectionDelayMax, reconnectionDelay * 2 ** refusals);
  return wait * (1 - randomizationFactor + 2 * randomizationFactor * Math.random());
}
