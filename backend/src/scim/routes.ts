import { scimCalls } from '@lightbox/contract/scim/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { createScimToken, listScimTokens, revokeScimToken } from './tokens.js';
import {
  createScimUser,
  deleteScimUser,
  getScimConfig,
  getScimSchemas,
  getScimTypes,
  getScimUser,
  listScimUsers,
  patchScimUser,
  replaceScimUser,
} from './users.js';

export function scimRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, scimCalls, {
    getScimConfig,
    getScimSchemas,
    getScimTypes,
    listScimUsers,
    getScimUser,
    createScimUser,
    replaceScimUser,
    patchScimUser,
    deleteScimUser,
    listScimTokens,
    createScimToken,
    revokeScimToken,
  });
}
