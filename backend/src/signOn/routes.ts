import { signOnCalls } from '@lightbox/contract/signOn/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { endSignOn } from './backChannel.js';
import { beginLink, finishLink, listIdentities, unlink } from './identities.js';
import { beginSignOn, beginSignOnStepUp, finishSignOn, finishSignOnStepUp, listSignOn } from './signIn.js';

export function signOnRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, signOnCalls, {
    listSignOn,
    beginSignOn,
    finishSignOn,
    endSignOn,
    beginSignOnStepUp,
    finishSignOnStepUp,
    listIdentities,
    beginLink,
    finishLink,
    unlink,
  });
}
