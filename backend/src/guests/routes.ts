import { guestCalls } from '@lightbox/contract/guests/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { askGuest, getGuestView } from './guestView.js';
import { createGuestLink, listGuestLinks, revokeGuestLink } from './links.js';
import { askGuestLink, openGuestLink } from './openLink.js';

export function guestRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, guestCalls, {
    createGuestLink,
    listGuestLinks,
    revokeGuestLink,
    askGuestLink,
    openGuestLink,
    getGuestView,
    askGuest,
  });
}
