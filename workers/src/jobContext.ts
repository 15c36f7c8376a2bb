/** The facts about one attempt of a job, and the ways to postpone it. */
export interface JobContext {
  /** True when no retry follows. */
  isLastAttempt: boolean;
  /** Aborted when the worker stops. */
  signal: AbortSignal;
  /** Ends this run and starts the job again after a delay. It does not count as an attempt. */
  later: (ms: number) => Promise<never>;
  /** True when the job has its place in the queue: `behind` gave it one, or a person waits for the job. */
  hasPlace: boolean;
  /**
   * Ends this run and starts the job again after all jobs with a smaller place or none, and those that a person waits for.
   * It does not count as an attempt.
   */
  behind: (place: number) => Promise<never>;
}
