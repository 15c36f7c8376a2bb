import { settingCalls } from '@lightbox/contract/settings/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
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
  bindAll(router, gateway, settingCalls, {
    listSettings,
    listKnownSettings,
    listSettingHistory,
    listKnownSettingHistory,
    getPublicSettings,
    getLimits,
    addSetting,
    editSetting,
    deleteSetting,
  });
}
