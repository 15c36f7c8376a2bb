import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import compression from 'compression';
import express, { type Express } from 'express';

const root = fileURLToPath(new URL('../../../frontend/dist/', import.meta.url));
const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Serves the built browser application. Browsers store files with a hash in their name for a year, and ask for
 * index.html each time.
 */
export function serveSite(app: Express): void {
  if (!existsSync(`${root}index.html`)) return;
  app.use(compression());
  app.use('/assets', express.static(`${root}assets`, { immutable: true, maxAge: YEAR_MS, fallthrough: false }));
  app.use(express.static(root, { index: false, maxAge: 3_600_000 }));
  app.get('/{*path}', (req, res, next) => {
    if (!req.accepts('html') || req.path.startsWith('/api')) return next();
    res.setHeader('Cache-Control', 'no-cache');
    // Addresses that open something for their holder are no pages of a search engine.
    if (/^\/guest\b/.test(req.path)) res.setHeader('X-Robots-Tag', 'noindex, nofollow');
    res.sendFile('index.html', { root });
  });
}
