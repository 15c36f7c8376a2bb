import type { Browser } from 'playwright-core';

/** The first visit to /login over a slow line. */
export interface SlowVisit {
  /** Milliseconds until anything is painted. */
  firstPaint: number;
  /** Milliseconds until the form can be used. */
  form: number;
  requests: number;
}

/** 500 kbit/s in both directions, and 400 ms until each answer begins. */
const line = { offline: false, latency: 400, downloadThroughput: 500_000 / 8, uploadThroughput: 500_000 / 8 };

/** Visits /login with an empty cache over a slow line. */
export async function visitSlowly(browser: Browser, url: string): Promise<SlowVisit> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 390, height: 844 },
    serviceWorkers: 'block',
  });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', line);
    let requests = 0;
    page.on('request', () => {
      requests += 1;
    });
    const start = Date.now();
    await page.goto('/login', { waitUntil: 'commit' });
    await page.getByLabel('Email').waitFor({ timeout: 60_000 });
    const form = Date.now() - start;
    const firstPaint = await page.evaluate<number>(
      "performance.getEntriesByName('first-contentful-paint')[0].startTime",
    );
    return { firstPaint, form, requests };
  } finally {
    await context.close();
  }
}
