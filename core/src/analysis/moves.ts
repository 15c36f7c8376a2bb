import {
  type AnalysisMove,
  analysisMoves,
  type ReviewMove,
  reviewMoves,
  underWayStates,
} from '@lightbox/contract/analysis/states.js';
import type { AnalysisDoc } from '../models/analysis.js';

const inStates = (states: readonly string[]) => ({ status: { $in: states as AnalysisDoc['status'][] } });

/** Filter for analyses that may make this move. An analysis that was never requested has no document. */
export const mayMove = (move: AnalysisMove) => inStates(analysisMoves[move].from);

/** Filter for analyses that are requested and have no result yet. */
export const underWay = inStates(underWayStates);

/** Filter for analyses whose review may make this move. A review without a state is in the state `none`. */
export const mayMoveReview = (move: ReviewMove) => {
  const from: readonly string[] = reviewMoves[move].from;
  const states = from.map((state) => (state === 'none' ? null : state));
  return { 'review.state': { $in: states as NonNullable<AnalysisDoc['review']>['state'][] } };
};
