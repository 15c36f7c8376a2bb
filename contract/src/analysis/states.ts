/** The life of an image's analysis. */
export const analysisStates = ['none', 'queued', 'active', 'completed', 'failed'] as const;
export type AnalysisState = (typeof analysisStates)[number];

/** Asked for, and without a result yet. */
export const underWayStates = ['queued', 'active'] as const satisfies readonly AnalysisState[];

/** How an analysis changes its state. */
export const analysisMoves = {
  /** A person asks for it: the first run, or another one. */
  request: { from: ['none', 'completed', 'failed'], to: 'queued' },
  /** A worker begins, also with a job that it was given twice. */
  begin: { from: underWayStates, to: 'active' },
  complete: { from: ['active'], to: 'completed' },
  fail: { from: ['active'], to: 'failed' },
  /** Its job was lost, so it waits for another one. */
  revive: { from: underWayStates, to: 'queued' },
} as const satisfies Record<string, { from: readonly AnalysisState[]; to: AnalysisState }>;
export type AnalysisMove = keyof typeof analysisMoves;

export const isUnderWay = (state: AnalysisState): state is (typeof underWayStates)[number] =>
  (underWayStates as readonly AnalysisState[]).includes(state);
