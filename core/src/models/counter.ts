import { date, number, schemaOf } from './fields.js';

export interface CounterDoc {
  _id: string;
  count: number;
  at: Date;
  /** Milliseconds that the count took. Absent in counts of an older version. */
  tookMs?: number;
}

export const counter = schemaOf<CounterDoc>({ _id: String, count: number, at: date, tookMs: Number });
