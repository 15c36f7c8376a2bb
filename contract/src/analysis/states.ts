/** The states of an image's analysis. */
export const analysisStates = ['none', 'queued', 'active', 'completed', 'failed'] as const;
export type AnalysisState = (typeof analysisStates)[number];

/** Requested, without a result yet. */
export const underWayStates = ['queued', 'active'] as const satisfies readonly AnalysisState[];

/** The moves between the states of an analysis. */
export const analysisMoves = {
  /** A person requests the first run, or another one. */
  request: { from: ['none', 'completed', 'failed'], to: 'queued' },
  /** A worker begins. The state may be `active` already, because a job can be delivered twice. */
  begin: { from: underWayStates, to: 'active' },
  complete: { from: ['active'], to: 'completed' },
  fail: { from: ['active'], to: 'failed' },
  /** The job was lost, so the analysis waits for a new job. */
  revive: { from: underWayStates, to: 'queued' },
} as const satisfies Record<string, { from: readonly AnalysisState[]; to: AnalysisState }>;
export type AnalysisMove = keyof typeof analysisMoves;

export const isUnderWay = (state: AnalysisState): state is (typeof underWayStates)[number] =>
  (underWayStates as readonly AnalysisState[]).includes(state);

/** The states of the review of an analysis. */
export const reviewStates = ['none', 'draft', 'signed', 'withdrawn'] as const;
export type ReviewState = (typeof reviewStates)[number];

/**
 * The moves between the states of a review. A signed text stays readable during the next run and its draft. It ends
 * when the next text is signed, or when it is withdrawn.
 */
export const reviewMoves = {
  /** A run has completed: its result waits for a signature. */
  draft: { from: reviewStates, to: 'draft' },
  sign: { from: ['draft'], to: 'signed' },
  withdraw: { from: ['draft', 'signed'], to: 'withdrawn' },
} as const satisfies Record<string, { from: readonly ReviewState[]; to: ReviewState }>;
export type ReviewMove = keyof typeof reviewMoves;

export const mayReview = (move: ReviewMove, state: ReviewState): boolean =>
  (reviewMoves[move].from as readonly ReviewState[]).includes(state);
