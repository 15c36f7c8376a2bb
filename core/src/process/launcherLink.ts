/** Messages of the gateway and the workers to the `npm start` that started them, if one did. */

/** Reports that this process serves now. */
export function reportReady(): void {
  process.send?.('ready');
}

/** Calls `stop` when the launcher is gone, for any reason: no other process would end this one then. */
export function whenLauncherIsGone(stop: () => void): void {
  if (process.channel) process.once('disconnect', stop);
}
