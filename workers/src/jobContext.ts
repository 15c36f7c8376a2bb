/** The facts about one try of a job, and the ways to put it off. */
export interface JobContext {
  /** Nothing will try again after this one. */
  isLastAttempt: boolean;
  /** Aborted when the worker stops. */
  signal: AbortSignal;
  /** Ends this try, and has the job done again after a while. It counts as no attempt. */
  later: (ms: number) => Promise<never>;
  /** The place among the jobs of the queue that `behind` gave to this one, 0 without. */
  place: number;
  /** Ends this try, and has the job done after all that have a smaller place or none. It counts as no attempt. */
  behind: (place: number) => Promise<never>;
}
