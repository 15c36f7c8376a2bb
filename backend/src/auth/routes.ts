import { authCalls } from '@lightbox/contract/auth/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { confirm, login, resendCode } from './login.js';
import { logout, refresh } from './refresh.js';
import { register } from './register.js';
import { forgotPassword, resetPassword } from './resetPassword.js';

export function authRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, authCalls.register, register);
  bind(router, gateway, authCalls.login, login);
  bind(router, gateway, authCalls.confirm, confirm);
  bind(router, gateway, authCalls.resendCode, resendCode);
  bind(router, gateway, authCalls.refresh, refresh);
  bind(router, gateway, authCalls.logout, logout);
  bind(router, gateway, authCalls.forgotPassword, forgotPassword);
  bind(router, gateway, authCalls.resetPassword, resetPassword);
  bind(router, gateway, authCalls.demoPeople, async () => ({ data: gateway.demoPeople }));
}
