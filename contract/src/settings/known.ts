import { z } from 'zod';
import { limits } from '../limits.js';

export type SettingUnit = 'hours' | 'minutes' | 'bytes' | 'files';

/** A whole number as people write one: no sign, no `0x18`, no `1e3`. */
const whole = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

const number = (
  unit: SettingUnit,
  { min, max, fallback, description }: Record<'min' | 'max' | 'fallback', number> & { description: string },
) => ({ description, kind: 'number' as const, unit, min, max, value: whole(min, max), fallback });

/** Settings the product knows: what they are for, what they may be, and what holds without them. */
export const knownSettings = {
  'sharing.expiryHours': number('hours', {
    description: 'Hours a share lives when nobody says otherwise.',
    min: 1,
    max: limits.shareHoursMax,
    fallback: limits.shareHours,
  }),
  'upload.maxBytes': number('bytes', {
    description: 'Largest file that may be uploaded, in bytes.',
    min: 1024 * 1024,
    max: limits.uploadBytesMax,
    fallback: limits.uploadBytes,
  }),
  'session.idleMinutes': number('minutes', {
    description: 'Minutes without activity after which a session ends.',
    min: 1,
    max: limits.sessionHours * 60,
    fallback: limits.sessionIdleMinutes,
  }),
  'quota.files': number('files', {
    description: 'Images one account may own.',
    min: 1,
    max: 100_000_000,
    fallback: limits.quotaFiles,
  }),
  'quota.bytes': number('bytes', {
    description: 'Bytes that the images of one account may take.',
    min: 1024 * 1024,
    max: 2 ** 49,
    fallback: limits.quotaBytes,
  }),
} as const;
export type KnownSetting = keyof typeof knownSettings;
export type SettingValues = { [K in KnownSetting]: z.output<(typeof knownSettings)[K]['value']> };
export const settingNames = Object.keys(knownSettings) as KnownSetting[];
export const isKnownSetting = (name: string): name is KnownSetting => Object.hasOwn(knownSettings, name);
