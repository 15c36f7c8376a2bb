import {
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

  constructor(private readonly models: Models) {}

  async get<K extends KnownSetting>(name: K): Promise<SettingValues[K]> {
    if (!this.values || Date.now() - this.readAt > FRESH_MS) {
      this.values = await this.read();
      this.readAt = Date.now();
    }
    return this.values[name];
  }

  forget(): void {
    this.values = null;
  }

  private async read(): Promise<SettingValues> {
    const rows = await this.models.Setting.find({ name: { $in: settingNames } }).lean();
    return Object.fromEntries(
      settingNames.map((name) => {
        const { value, fallback } = knownSettings[name];
        const parsed = value.safeParse(rows.find((row) => row.name === name)?.value);
        return [name, parsed.success ? parsed.data : fallback];
      }),
    ) as SettingValues;
  }
}
