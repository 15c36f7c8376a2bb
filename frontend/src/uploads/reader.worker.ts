import { type Answered, type Asked, acts } from './reading';

/** Reads headers and computes hashes beside the page, which stays responsive. */
self.onmessage = async ({ data: { id, act, blob } }: MessageEvent<Asked>) => {
  const answer: Answered = await acts[act](blob).then(
    (value) => ({ id, value }),
    (error: Error) => ({ id, failed: error.name }),
  );
  self.postMessage(answer);
};
