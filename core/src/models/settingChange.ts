import { date, type Id, id, schemaOf, string } from './fields.js';

/** What a setting was and became; written with the change. */
export interface SettingChangeDoc {
  _id: Id;
  setting: Id;
  name: string;
  /** Absent before it was added. */
  from?: string;
  /** Absent after it was deleted. */
  to?: string;
  by: Id;
  at: Date;
}

export const settingChange = schemaOf<SettingChangeDoc>(
  { setting: id, name: string, from: String, to: String, by: id, at: date },
  { collection: 'appsettinghistory' },
)
  .index({ setting: 1, at: -1, _id: -1 })
  .index({ name: 1, at: -1, _id: -1 });
