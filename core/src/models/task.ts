import { date, schemaOf } from './fields.js';

/** Maintenance that comes round by itself; whoever moves `nextAt` on does it this time. */
export interface TaskDoc {
  /** Its name. */
  _id: string;
  /** By MongoDB's clock. */
  nextAt: Date;
  /** When it was last begun. */
  begunAt?: Date;
}

export const task = schemaOf<TaskDoc>({ _id: String, nextAt: date, begunAt: Date });
