import { date, schemaOf } from './fields.js';

/** A maintenance task that recurs. The process that advances `nextAt` does it this time. */
export interface TaskDoc {
  /** The name of the task. */
  _id: string;
  /** By MongoDB's clock. */
  nextAt: Date;
  /** Time of its last start. */
  begunAt?: Date;
  /** Of a change of older records (`upgrade.ts`): when it was finished. */
  doneAt?: Date;
  /** Of such a change: a version that does not know it may start on this database all the same. */
  compatible?: boolean;
}

export const task = schemaOf<TaskDoc>({ _id: String, nextAt: date, begunAt: Date, doneAt: Date, compatible: Boolean });
