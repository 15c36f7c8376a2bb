import { authCalls } from '@lightbox/contract/auth/calls.js';
import { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { changePassword } from './changePassword.js';
import { confirm, login, resendCode } from './login.js';
import { endOtherSessions, endSession, listSessions, listSignIns } from './ownSessions.js';
import { logout, refresh } from './refresh.js';
import { register } from './register.js';
import { forgotPassword, resetPassword } from './resetPassword.js';
import { getTotp, removeTotp, renewRecoveryCodes, setUpTotp } from './totp.js';

export function authRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, authCalls.register, register);
  bind(router, gateway, authCalls.login, login);
  bind(router, gateway, authCalls.confirm, confirm);
  bind(router, gateway, authCalls.resendCode, resendCode);
  bind(router, gateway, authCalls.refresh, refresh);
  bind(router, gateway, authCalls.logout, logout);
  bind(router, gateway, authCalls.forgotPassword, forgotPassword);
  bind(router, gateway, authCalls.resetPassword, resetPassword);
  bind(router, gateway, securityCalls.listSessions, listSessions);
  bind(router, gateway, securityCalls.endOtherSessions, endOtherSessions);
  bind(router, gateway, securityCalls.endSession, endSession);
  bind(router, gateway, securityCalls.listSignIns, listSignIns);
  bind(router, gateway, securityCalls.changePassword, changePassword);
  bind(router, gateway, securityCalls.getTotp, getTotp);
  bind(router, gateway, securityCalls.setUpTotp, setUpTotp);
  bind(router, gateway, securityCalls.removeTotp, removeTotp);
  bind(router, gateway, securityCalls.renewRecoveryCodes, renewRecoveryCodes);
  bind(router, gateway, authCalls.demoPeople, async () => ({ data: gateway.demoPeople }));
}
