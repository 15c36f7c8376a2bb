import type { SelfCheckReport } from '@lightbox/contract/selfCheck/report.js';
import { date, Mixed, schemaOf } from './fields.js';

/** The last self-check with its report, the last backup, and the last time at which a DICOM receiver was ready. */
export interface OperationDoc {
  _id: 'selfCheck' | 'backup' | 'receiver';
  at: Date;
  report?: Omit<SelfCheckReport, 'at'>;
}

export const operation = schemaOf<OperationDoc>({ _id: String, at: date, report: Mixed });
