/** For the gateway and the workers: what they say to the `npm start` that started them, if one did. */

/** Says that this process serves now. */
export function reportReady(): void {
  process.send?.('ready');
}

/** Calls `stop` when the launcher is gone, however it went: nobody else would end this process then. */
export function whenLauncherIsGone(stop: () => void): void {
  if (process.channel) process.once('disconnect', stop);
}
