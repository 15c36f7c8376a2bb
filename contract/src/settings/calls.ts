import { z } from 'zod';
import { call } from '../call.js';
import { PageQuery } from '../envelope.js';
import { Id, Params, Time, text } from '../ids.js';
import { limits } from '../limits.js';
import { texts } from '../texts.js';
import { UserRef } from '../users/schemas.js';
import { type SettingValues, settingNames, textForms } from './known.js';
import { settingRoutes } from './routes.js';

export const Setting = z.object({
  id: Id,
  name: z.string(),
  value: z.string(),
  description: z.string(),
  createAt: Time,
  updatedAt: Time,
});
export type Setting = z.infer<typeof Setting>;

/** A setting that the product knows, whether it is set or not. */
const info = {
  name: z.enum(settingNames),
  description: z.string(),
  default: z.string(),
  /** The value in effect: the default, unless an administrator has set another. */
  current: z.string(),
  /** The last change; null when there was none. */
  changed: z.object({ by: UserRef, at: Time }).nullable(),
};
export const SettingInfo = z.discriminatedUnion('kind', [
  z.object({
    ...info,
    kind: z.literal('number'),
    unit: z.enum(['days', 'hours', 'minutes', 'bytes', 'files']),
    min: z.int(),
    max: z.int(),
    /** The value may also be 0, which means without end. */
    orZero: z.literal(true).optional(),
  }),
  z.object({ ...info, kind: z.literal('choice'), options: z.array(z.string()) }),
  z.object({ ...info, kind: z.literal('text'), form: z.enum(textForms), maxLength: z.int() }),
]);
export type SettingInfo = z.infer<typeof SettingInfo>;

/** One change of a setting. `from` is null when the setting was added, `to` when it was deleted. */
export const SettingChange = z.object({
  id: Id,
  name: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  by: UserRef,
  at: Time,
});
export type SettingChange = z.infer<typeof SettingChange>;

/** The clinic that runs this installation. Each text is empty until an administrator sets it. */
const clinic = { 'clinic.name': z.string(), 'clinic.phone': z.string(), 'clinic.url': z.string() };

/**
 * The values that screens need before they send a request: the clinic, the largest file, the lifetime of a share, the
 * idle time of a session, the address of another viewer.
 */
export const PublicSettings = z.object({
  ...clinic,
  'upload.maxBytes': z.int(),
  'sharing.expiryHours': z.int(),
  'session.idleMinutes': z.int(),
  'analysis.consent': z.enum(['off', 'ask']),
  'viewer.url': z.string(),
} satisfies { [K in keyof SettingValues]?: z.ZodType<SettingValues[K]> });
export type PublicSettings = z.infer<typeof PublicSettings>;

/**
 * The part of these values that the screens before the sign-in show to everybody. The idle time of sessions, and any
 * later setting, is not public.
 */
export const PublicLimits = PublicSettings.pick({
  'clinic.name': true,
  'clinic.phone': true,
  'clinic.url': true,
  'upload.maxBytes': true,
  'sharing.expiryHours': true,
});
export type PublicLimits = z.infer<typeof PublicLimits>;

const value = text(limits.settingLength);
const description = text(500);
const name = text(100)
  .min(1, texts.required)
  .refine((n) => !['__proto__', 'constructor', 'prototype'].includes(n), 'This name is not allowed.');

export const settingCalls = {
  listSettings: call({
    method: 'get',
    path: '/appsetting/',
    who: 'setting.manage',
    action: 'setting.list',
    summary: 'All settings',
    data: z.array(Setting),
  }),
  addSetting: call({
    method: 'post',
    path: '/appsetting/add',
    who: 'setting.manage',
    action: 'setting.add',
    summary: 'Add a setting',
    body: z.strictObject({ name, value, description: description.default('') }),
    data: Setting,
    status: 201,
    creates: true,
    fails: ['CONFLICT', 'STEP_UP_REQUIRED'],
  }),
  editSetting: call({
    method: 'put',
    path: '/appsetting/edit/:id',
    who: 'setting.manage',
    action: 'setting.edit',
    summary: 'Change a setting',
    params: Params,
    body: z.strictObject({
      name: name.optional(),
      value: value.optional(),
      description: description.optional(),
      id: z.unknown().optional(),
      createAt: z.unknown().optional(),
      updatedAt: z.unknown().optional(),
    }),
    data: Setting,
    fails: ['CONFLICT', 'STEP_UP_REQUIRED'],
  }),
  deleteSetting: call({
    method: 'delete',
    path: '/appsetting/delete',
    who: 'setting.manage',
    action: 'setting.delete',
    summary: 'Delete a setting',
    body: z.strictObject({ id: Id, user: z.unknown().optional() }),
    fails: ['NOT_FOUND', 'STEP_UP_REQUIRED'],
  }),
  listKnownSettings: call({
    method: 'get',
    path: '/appsetting/known',
    who: 'setting.manage',
    action: 'setting.list',
    summary: 'The settings the product knows: what they may be, and what holds now',
    data: z.array(SettingInfo),
  }),
  listSettingHistory: call({
    method: 'get',
    path: '/appsetting/:id/history',
    who: 'setting.manage',
    action: 'setting.history',
    summary: 'What a setting was, what it became, by whom and when; also of one that was deleted. The newest first',
    params: Params,
    query: PageQuery,
    data: z.array(SettingChange),
    paged: true,
  }),
  listKnownSettingHistory: call({
    method: 'get',
    path: '/appsetting/known/:name/history',
    who: 'setting.manage',
    action: 'setting.history',
    summary: 'The history of a setting the product knows, however often it was deleted and added. The newest first',
    params: z.strictObject({ name: z.enum(settingNames) }),
    query: PageQuery,
    data: z.array(SettingChange),
    paged: true,
  }),
  getPublicSettings: call({
    method: 'get',
    path: '/settings/public',
    who: 'setting.read',
    action: 'setting.read',
    summary: 'The values that every screen needs',
    data: PublicSettings,
  }),
  getLimits: call({
    ...settingRoutes.getLimits,
    who: 'anyone',
    summary: 'The clinic and the limits that the screens before the sign-in name',
    data: PublicLimits,
  }),
};
