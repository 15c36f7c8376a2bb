import { z } from 'zod';
import { limits } from '../limits.js';

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** Settings the product knows: what they are for, what they may be, and what holds without them. */
export const knownSettings = {
  'sharing.expiryHours': {
    description: 'Hours a share lives when nobody says otherwise.',
    value: whole(1, limits.shareHoursMax),
    fallback: limits.shareHours,
  },
  'upload.maxBytes': {
    description: 'Largest file that may be uploaded, in bytes.',
    value: whole(1024 * 1024, limits.uploadBytesMax),
    fallback: limits.uploadBytes,
  },
  'session.idleMinutes': {
    description: 'Minutes without activity after which a session ends.',
    value: whole(1, limits.sessionHours * 60),
    fallback: limits.sessionIdleMinutes,
  },
} as const;
export type KnownSetting = keyof typeof knownSettings;
export type SettingValues = { [K in KnownSetting]: z.infer<(typeof knownSettings)[K]['value']> };
export const isKnownSetting = (name: string): name is KnownSetting => Object.hasOwn(knownSettings, name);
