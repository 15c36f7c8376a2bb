import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DAY_MS, HOUR_MS } from '@lightbox/core/times.js';
import compression from 'compression';
import express, { type Express } from 'express';
import staticCompressed from 'express-static-gzip';

const root = fileURLToPath(new URL('../../../frontend/dist/', import.meta.url));
const YEAR_MS = 365 * DAY_MS;

/**
 * Serves the built browser application. Browsers store files with a hash in their name for a year, and ask for
 * index.html each time. The build compresses its files once; the other answers are compressed as they are sent.
 */
export function serveSite(app: Express): void {
  if (!existsSync(`${root}index.html`)) return;
  app.use(compression());
  app.use(
    '/assets',
    staticCompressed(`${root}assets`, {
      enableBrotli: true,
      orderPreference: ['br', 'gzip'],
      index: false,
      serveStatic: { immutable: true, maxAge: YEAR_MS, fallthrough: false },
    }),
  );
  app.use(express.static(root, { index: false, maxAge: HOUR_MS }));
  app.get('/{*path}', (req, res, next) => {
    if (!req.accepts('html') || req.path.startsWith('/api')) return next();
    res.setHeader('Cache-Control', 'no-cache');
    // Addresses that open something for their holder are no pages of a search engine.
    if (/^\/(guest|send)\b/.test(req.path)) res.setHeader('X-Robots-Tag', 'noindex, nofollow');
    res.sendFile('index.html', { root });
  });
}
