import type { ReasonCode } from '@lightbox/contract/analysis/reasons.js';
import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import type { AnalysisStatus } from '@lightbox/contract/images/schemas.js';
import { date, type Id, id, Mixed, number, schemaOf, string } from './fields.js';

export interface AnalysisDoc {
  /** The image's id: one analysis per image, however often it is requested. */
  _id: Id;
  status: Exclude<AnalysisStatus, 'none'>;
  /** Rises with each run, so that a late worker of an older run changes nothing. */
  run: number;
  progress: number;
  requestedBy: Id;
  startedAt: Date;
  finishedAt?: Date;
  findings?: Findings;
  reason?: string;
  reasonCode?: ReasonCode;
}

export const analysis = schemaOf<AnalysisDoc>({
  status: string,
  run: number,
  progress: number,
  requestedBy: id,
  startedAt: date,
  finishedAt: Date,
  findings: Mixed,
  reason: String,
  reasonCode: String,
})
  .index({ status: 1, startedAt: 1 })
  // The analyses that one person requested lately.
  .index({ requestedBy: 1, startedAt: 1 });
