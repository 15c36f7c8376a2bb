import type { KnownSetting, knownSettings, SettingUnit } from './known.js';

/** The groups of the settings on their page, in its order. */
export const settingGroups = ['clinic', 'uploads', 'sharing', 'sessions', 'access', 'retention'] as const;
export type SettingGroup = (typeof settingGroups)[number];

type Options<K extends KnownSetting> = (typeof knownSettings)[K] extends {
  options: readonly (infer O extends string)[];
}
  ? O
  : never;
/** The options of a choice have names. A choice of no and yes is a switch and needs none. */
type Named<K extends KnownSetting> = [Options<K>] extends [never]
  ? object
  : Options<K> extends 'no' | 'yes'
    ? object
    : { options: Record<Options<K>, string> };

/** The group and the name of each setting, as people read them. The name is English; `frontend/src/i18n` has the others. */
export const shownSettings: { [K in KnownSetting]: { group: SettingGroup; name: string } & Named<K> } = {
  'clinic.name': { group: 'clinic', name: 'Name of the clinic' },
  'clinic.phone': { group: 'clinic', name: 'Phone number' },
  'clinic.url': { group: 'clinic', name: 'Website' },
  'upload.maxBytes': { group: 'uploads', name: 'Largest file' },
  'quota.files': { group: 'uploads', name: 'Images per account' },
  'quota.bytes': { group: 'uploads', name: 'Storage per account' },
  'retention.imagesDays': { group: 'retention', name: 'Images' },
  'retention.messagesDays': { group: 'retention', name: 'Messages' },
  'retention.auditDays': { group: 'retention', name: 'Entries of the audit log' },
  'sharing.expiryHours': { group: 'sharing', name: 'Default sharing time' },
  'viewer.url': { group: 'sharing', name: 'Another viewer' },
  'session.idleMinutes': { group: 'sessions', name: 'Log out after inactivity' },
  'security.requireSecondFactor': {
    group: 'sessions',
    name: 'Required second factor',
    options: { none: 'Nobody', staff: 'Providers and administrators' },
  },
  'signIn.local': {
    group: 'sessions',
    name: 'Log in without single sign-on',
    options: { all: 'Everybody', patients: 'Patients only', none: 'Nobody' },
  },
  'signIn.breakGlass': { group: 'sessions', name: 'Break-glass administrators' },
  'directory.patients': {
    group: 'access',
    name: 'Patients that providers find',
    options: { all: 'All patients', known: 'Known patients only' },
  },
  'analysis.consent': {
    group: 'access',
    name: 'Consent to analyses',
    options: { off: 'Not asked for', ask: 'Ask the patient' },
  },
  'access.breakGlass': { group: 'access', name: 'Emergency access' },
  'access.carers': { group: 'access', name: 'Carers of patients' },
};

/** The units in which people read and type a number, with their size in the setting's own unit, the smallest first. */
export const settingUnits: Record<SettingUnit, Readonly<Record<string, number>>> = {
  bytes: { MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 },
  days: { days: 1 },
  hours: { hours: 1 },
  minutes: { minutes: 1 },
  files: { images: 1 },
};
