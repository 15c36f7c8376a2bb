import { number, schemaOf, string } from './fields.js';

/** The number of receipts of a run that the log has taken up. */
export interface AuditRunDoc {
  _id: string;
  n: number;
  keyId: string;
  mac: string;
}

export const auditRun = schemaOf<AuditRunDoc>(
  { _id: String, n: number, keyId: string, mac: string },
  { collection: 'auditruns' },
);
