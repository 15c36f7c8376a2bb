import { randomBytes } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { AppError } from '@lightbox/core/errors.js';
import { isSame } from '@lightbox/core/keys/isSame.js';
import type { CookieOptions, Request, Response } from 'express';
import type { Gateway } from '../context.js';

const REFRESH_COOKIE = 'lightbox_refresh';
const XSRF_COOKIE = 'XSRF-TOKEN';
const XSRF_HEADER = 'x-xsrf-token';

const common = (gateway: Gateway): CookieOptions => ({
  sameSite: 'strict',
  secure: gateway.config.publicUrl.startsWith('https:'),
  maxAge: limits.sessionHours * 3_600_000,
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

/** Returns the session and the generation that the refresh cookie names. Throws when it, or the proof beside it, is missing. */
export function requireRefreshCookie({ tokens }: Gateway, req: Request): { sessionId: string; generation: number } {
  const cookies = req.cookies as Record<string, string | undefined>;
  const presented = cookies[REFRESH_COOKIE];
  if (!presented) throw new AppError('UNAUTHENTICATED');
  const xsrf = cookies[XSRF_COOKIE];
  if (!xsrf || !isSame(xsrf, req.get(XSRF_HEADER))) throw new AppError('AUTHENTICATION_FAILED');
  const claim = tokens.readRefresh(presented);
  if (!claim) throw new AppError('AUTHENTICATION_FAILED');
  return claim;
}
