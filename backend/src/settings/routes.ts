import { settingCalls } from '@lightbox/contract/settings/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { addSetting, deleteSetting, editSetting } from './changeSettings.js';
import {
  getLimits,
  getPublicSettings,
  listKnownSettingHistory,
  listKnownSettings,
  listSettingHistory,
  listSettings,
} from './listSettings.js';

export function settingRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, settingCalls.listSettings, listSettings);
  bind(router, gateway, settingCalls.listKnownSettings, listKnownSettings);
  bind(router, gateway, settingCalls.listSettingHistory, listSettingHistory);
  bind(router, gateway, settingCalls.listKnownSettingHistory, listKnownSettingHistory);
  bind(router, gateway, settingCalls.getPublicSettings, getPublicSettings);
  bind(router, gateway, settingCalls.getLimits, getLimits);
  bind(router, gateway, settingCalls.addSetting, addSetting);
  bind(router, gateway, settingCalls.editSetting, editSetting);
  bind(router, gateway, settingCalls.deleteSetting, deleteSetting);
}
