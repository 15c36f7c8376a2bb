import { type AnalysisMove, analysisMoves, underWayStates } from '@lightbox/contract/analysis/states.js';
import type { AnalysisDoc } from '../models/analysis.js';

const inStates = (states: readonly string[]) => ({ status: { $in: states as AnalysisDoc['status'][] } });

/** The analyses that may make this move. One that nobody has asked for has no document. */
export const mayMove = (move: AnalysisMove) => inStates(analysisMoves[move].from);

/** The analyses that have no result yet, and will have one. */
export const underWay = inStates(underWayStates);
