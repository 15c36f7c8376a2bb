import {
  currentName,
  formerNames,
  type KnownSetting,
  knownSettings,
  type SettingValues,
  settingNames,
} from '@lightbox/contract/settings/known.js';
import type { Models } from '../models/models.js';

const FRESH_MS = 1_000;

/** What the settings say now. Read at most once a second, so that a change takes effect at once and costs nothing. */
export class Settings {
  private values: SettingValues | null = null;
  private readAt = 0;
  /** Rises with each change heard of, so that a read that was under way does not keep what was before it. */
  private changes = 0;

  constructor(private readonly models: Models) {}

  async get<K extends KnownSetting>(name: K): Promise<SettingValues[K]> {
    const values = this.values && Date.now() - this.readAt <= FRESH_MS ? this.values : await this.fresh();
    return values[name];
  }

  /** Read anew, for whoever was told of a change: another gateway may hear of it a moment later. */
  async fresh(): Promise<SettingValues> {
    const before = this.changes;
    const values = await this.read();
    if (this.changes === before) {
      this.values = values;
      this.readAt = Date.now();
    }
    return values;
  }

  forget(): void {
    this.values = null;
    this.changes += 1;
  }

  private async read(): Promise<SettingValues> {
    const rows = await this.models.Setting.find({ name: { $in: [...settingNames, ...formerNames] } }).lean();
    const stored = (name: KnownSetting) =>
      (rows.find((row) => row.name === name) ?? rows.find((row) => currentName(row.name) === name))?.value;
    return Object.fromEntries(
      settingNames.map((name) => {
        const { value, fallback } = knownSettings[name];
        const parsed = value.safeParse(stored(name));
        return [name, parsed.success ? parsed.data : fallback];
      }),
    ) as SettingValues;
  }
}
