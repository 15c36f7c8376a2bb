import type { Core } from '../core.js';

/** Interval at which a DICOM receiver notes that it is ready. */
export const READY_MS = 60_000;

/**
 * Notes at once and then regularly that a DICOM receiver can store files: the self-check runs in other processes, which
 * do not know its address. Returns the function that ends it.
 */
export function noteReady({ models, clock, warn }: Core): () => void {
  const note = () =>
    models.Operation.updateOne({ _id: 'receiver' }, { $set: { at: clock.now() } }, { upsert: true }).then(
      () => undefined,
      (error) => warn(error, 'the receiver could not note that it is ready'),
    );
  const timer = setInterval(note, READY_MS);
  void note();
  return () => clearInterval(timer);
}
