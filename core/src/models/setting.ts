import { date, type Id, schemaOf, string } from './fields.js';

export interface SettingDoc {
  _id: Id;
  name: string;
  value: string;
  description: string;
  createAt: Date;
  updatedAt: Date;
  touched?: number;
}

export const setting = schemaOf<SettingDoc>(
  {
    name: string,
    value: { type: String, default: '' },
    description: { type: String, default: '' },
    createAt: date,
    updatedAt: date,
    touched: Number,
  },
  { collection: 'appsettings' },
).index({ name: 1 }, { unique: true });
