import { z } from 'zod';
import { call } from '../call.js';
import { Id, Params, Time, text } from '../ids.js';
import { limits } from '../limits.js';

export const Setting = z.object({
  id: Id,
  name: z.string(),
  value: z.string(),
  description: z.string(),
  createAt: Time,
  updatedAt: Time,
});
export type Setting = z.infer<typeof Setting>;

const value = text(limits.settingLength);
const description = text(500);
const name = text(100)
  .min(1, 'This field is required.')
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
  }),
  deleteSetting: call({
    method: 'delete',
    path: '/appsetting/delete',
    who: 'setting.manage',
    action: 'setting.delete',
    summary: 'Delete a setting',
    body: z.strictObject({ id: Id, user: z.unknown().optional() }),
  }),
};
