import { randomBytes } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import type { CookieOptions, Response } from 'express';
import type { Gateway } from '../context.js';

export const REFRESH_COOKIE = 'lightbox_refresh';
export const XSRF_COOKIE = 'XSRF-TOKEN';
export const XSRF_HEADER = 'x-xsrf-token';

const common = (gateway: Gateway): CookieOptions => ({
  sameSite: 'strict',
  secure: gateway.config.publicUrl.startsWith('https:'),
  maxAge: limits.sessionHours * HOUR_MS,
});

export function setSessionCookies(gateway: Gateway, res: Response, sessionId: string, generation: number): void {
  const value = gateway.tokens.refreshValue(sessionId, generation);
  res.cookie(REFRESH_COOKIE, value, { ...common(gateway), httpOnly: true, path: '/api/auth' });
  res.cookie(XSRF_COOKIE, randomBytes(16).toString('base64url'), { ...common(gateway), path: '/' });
}

export function clearSessionCookies(gateway: Gateway, res: Response): void {
  const { maxAge: _, ...options } = common(gateway);
  res.clearCookie(REFRESH_COOKIE, { ...options, httpOnly: true, path: '/api/auth' });
  res.clearCookie(XSRF_COOKIE, { ...options, path: '/' });
}
