import { date, number, schemaOf } from './fields.js';

export interface CounterDoc {
  _id: string;
  count: number;
  at: Date;
}

export const counter = schemaOf<CounterDoc>({ _id: String, count: number, at: date });
