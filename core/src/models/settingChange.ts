import { date, type Id, id, schemaOf, string } from './fields.js';

/** One change of a setting, written in the same transaction. */
export interface SettingChangeDoc {
  _id: Id;
  setting: Id;
  name: string;
  /** The value before; absent when the setting was added. */
  from?: string;
  /** The value after; absent when the setting was deleted. */
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
