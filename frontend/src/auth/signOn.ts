import type { Routes } from '@lightbox/contract/call.js';
import type { signOnCalls as declared } from '@lightbox/contract/signOn/calls.js';
import { signOnRoutes } from '@lightbox/contract/signOn/routes.js';

type Declared = typeof declared;

/** The calls of the way to a provider and back, without their schemas: the login page needs no zod. */
export const signOnCalls: Routes<Pick<Declared, keyof typeof signOnRoutes>> = signOnRoutes;

const key = 'signOn';
const purposes = ['signIn', 'stepUp', 'link'] as const;
export type Purpose = (typeof purposes)[number];

/** Sends the browser to a provider, and remembers for its way back why it went there. */
export function goToProvider(url: string, purpose: Purpose) {
  sessionStorage.setItem(key, purpose);
  location.assign(url);
}

/** Returns why the browser went to the provider. */
export const purposeOfReturn = (): Purpose =>
  purposes.find((purpose) => purpose === sessionStorage.getItem(key)) ?? 'signIn';

/** Returns this screen, to come back to it. */
export const hereAgain = (): string => `${location.pathname}${location.search}`;
