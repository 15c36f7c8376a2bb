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

/**
 * The present values of the settings. Read at most once a second, so that a change takes effect at once and costs
 * nothing.
 */
export class Settings {
  private values: SettingValues | null = null;
  private readAt = 0;
  /** Rises with each change that is reported, so that a read that was under way does not store older values. */
  private changes = 0;
  private reading: { changes: number; values: Promise<SettingValues> } | null = null;

  constructor(private readonly models: Models) {}

  async get<K extends KnownSetting>(name: K): Promise<SettingValues[K]> {
    return (await this.all())[name];
  }

  async all(): Promise<SettingValues> {
    if (this.values && performance.now() - this.readAt <= FRESH_MS) return this.values;
    // One read for all who ask meanwhile, unless a change was reported since it began.
    if (this.reading?.changes !== this.changes) {
      const { changes } = this;
      const values = this.fresh().finally(() => {
        if (this.reading?.values === values) this.reading = null;
      });
      this.reading = { changes, values };
    }
    return this.reading.values;
  }

  /**
   * Reads the settings again, for a caller that was notified of a change; another gateway may be notified a moment
   * later.
   */
  async fresh(): Promise<SettingValues> {
    const before = this.changes;
    const values = await this.read();
    if (this.changes === before) {
      this.values = values;
      this.readAt = performance.now();
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
