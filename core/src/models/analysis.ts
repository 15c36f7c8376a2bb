import type { ReasonCode } from '@lightbox/contract/analysis/reasons.js';
import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import type { ReviewState } from '@lightbox/contract/analysis/states.js';
import type { AnalysisStatus } from '@lightbox/contract/images/schemas.js';
import { date, type Id, id, Mixed, number, ObjectId, part, schemaOf, string } from './fields.js';

export interface AnalysisDoc {
  /** The image's id: one analysis per image, however often it is requested. */
  _id: Id;
  status: Exclude<AnalysisStatus, 'none'>;
  /** Rises with each run, so that a late worker of an older run changes nothing. */
  run: number;
  progress: number;
  requestedBy: Id;
  startedAt: Date;
  /** The last sign that a worker goes on with the run. Absent before a worker began. */
  beatAt?: Date;
  finishedAt?: Date;
  findings?: Findings;
  reason?: string;
  reasonCode?: ReasonCode;
  /** The number of the newest version. Absent until a run has completed. */
  version?: number;
  /** Absent: the state `none`. */
  review?: ReviewDoc;
  /** The version that is signed and not withdrawn, and its signer. A new run leaves it as it is. */
  signed?: { version: number; by: Id };
}

/** The state of the review, and the last move of a person. */
export interface ReviewDoc {
  state: Exclude<ReviewState, 'none'>;
  by?: Id;
  at?: Date;
  comment?: string;
}

export const analysis = schemaOf<AnalysisDoc>({
  status: string,
  run: number,
  progress: number,
  requestedBy: id,
  startedAt: date,
  beatAt: Date,
  finishedAt: Date,
  findings: Mixed,
  reason: String,
  reasonCode: String,
  version: Number,
  review: part<ReviewDoc>({ state: string, by: ObjectId, at: Date, comment: String }),
  signed: part<NonNullable<AnalysisDoc['signed']>>({ version: number, by: id }),
})
  .index({ status: 1, startedAt: 1 })
  // The analyses that one person requested lately.
  .index({ requestedBy: 1, startedAt: 1 });
