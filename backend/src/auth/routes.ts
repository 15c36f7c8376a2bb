import { authCalls } from '@lightbox/contract/auth/calls.js';
import { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { acceptInvitation, readInvitation } from '../sharing/acceptInvites.js';
import { changePassword } from './changePassword.js';
import { confirm, login, resendCode } from './login.js';
import { notMe } from './notMe.js';
import { endOtherSessions, endSession, listSessions, listSignIns } from './ownSessions.js';
import { askPasskey, askStepUpPasskey, passkeySignIn } from './passkeySignIn.js';
import { addPasskey, askNewPasskey, listPasskeys, removePasskey, renamePasskey } from './passkeys.js';
import { createToken, getCurrentToken, listTokens, revokeToken } from './personalTokens.js';
import { logout, refresh } from './refresh.js';
import { register } from './register.js';
import { forgotPassword, resetPassword } from './resetPassword.js';
import { mailStepUpCode, stepUp } from './stepUp.js';
import { getTotp, removeTotp, renewRecoveryCodes, setUpTotp } from './totp.js';

export function authRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, authCalls, {
    register,
    login,
    confirm,
    resendCode,
    refresh,
    logout,
    forgotPassword,
    resetPassword,
    readInvitation,
    acceptInvitation,
    notMe,
    askPasskey,
    passkeySignIn,
    demoPeople: async () => ({ data: gateway.demoPeople }),
  });
  bindAll(router, gateway, securityCalls, {
    listSessions,
    endOtherSessions,
    endSession,
    listSignIns,
    changePassword,
    getTotp,
    setUpTotp,
    removeTotp,
    renewRecoveryCodes,
    stepUp,
    askStepUpPasskey,
    mailStepUpCode,
    listPasskeys,
    askNewPasskey,
    addPasskey,
    renamePasskey,
    removePasskey,
    listTokens,
    createToken,
    getCurrentToken,
    revokeToken,
  });
}
