import type { EditableField, Findings } from '@lightbox/contract/analysis/schemas.js';
import { date, type Id, id, Mixed, number, part, schemaOf, string } from './fields.js';

/** The result of a run, or a signed text. It is written once; a withdrawal alone is added to it. */
export interface AnalysisVersionDoc {
  _id: Id;
  image: Id;
  /** From 1, in the order in which the versions of an image were made. */
  version: number;
  kind: 'run' | 'signature';
  /** The person who asked for the run, or who signed. */
  by: Id;
  at: Date;
  findings: Findings;
  /** The run: who asked for it, when it ended, and the SHA-256 of the file that was analysed. A signature repeats it. */
  run: RunDoc;
  /** Only of a signature. */
  signature?: SignatureDoc;
  withdrawn?: WithdrawalDoc;
}

interface RunDoc {
  number: number;
  by: Id;
  at: Date;
  inputSha256: string;
}

interface SignatureDoc {
  /** The version of the draft. */
  of: number;
  comment?: string;
  edited: EditableField[];
}

interface WithdrawalDoc {
  by: Id;
  at: Date;
  reason: string;
}

export const analysisVersion = schemaOf<AnalysisVersionDoc>(
  {
    image: id,
    version: number,
    kind: string,
    by: id,
    at: date,
    findings: { type: Mixed, required: true },
    run: { type: part<RunDoc>({ number, by: id, at: date, inputSha256: string }), required: true },
    signature: part<SignatureDoc>({ of: number, comment: String, edited: [String] }),
    withdrawn: part<WithdrawalDoc>({ by: id, at: date, reason: string }),
  },
  // A sentence without values keeps its empty object.
  { minimize: false },
).index({ image: 1, version: -1 }, { unique: true });
