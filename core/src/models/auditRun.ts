import { number, schemaOf, string } from './fields.js';

/** How many receipts of a run the log has taken up. */
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
