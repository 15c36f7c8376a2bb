/** The facts about one attempt of a job, and the ways to postpone it. */
export interface JobContext {
  /** True when no retry follows. */
  isLastAttempt: boolean;
  /** Aborted when the worker stops. */
  signal: AbortSignal;
  /** Ends this run and starts the job again after a delay. It does not count as an attempt. */
  later: (ms: number) => Promise<never>;
  /** The place in the queue that `behind` gave to this job, otherwise 0. */
  place: number;
  /** Ends this run and starts the job again after all jobs with a smaller place or none. It does not count as an attempt. */
  behind: (place: number) => Promise<never>;
}
