/**
 * The delays of a client that lost its socket, for socket.io: short at first, then longer. They are random, so that
 * clients do not reconnect at the same moment.
 */
export const reconnecting = {
  reconnectionDelay: 500,
  reconnectionDelayMax: 5_000,
  randomizationFactor: 0.5,
} as const;

/**
 * Returns the milliseconds, with jitter, that a client waits after a number of refused connections, or after the server
 * disconnected it. In these cases socket.io leaves the reconnection to the client.
 */
export function waitAfter(refusals: number): number {
  const { reconnectionDelay, reconnectionDelayMax, randomizationFactor } = reconnecting;
  const wait = Math.min(reconnectionDelayMax, reconnectionDelay * 2 ** refusals);
  return wait * (1 - randomizationFactor + 2 * randomizationFactor * Math.random());
}
