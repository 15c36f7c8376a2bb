import type { Page } from 'playwright-core';

/** What one visit felt like. */
export interface Vitals {
  /** Milliseconds. */
  lcp: number;
  cls: number;
  /** Milliseconds of the slowest act; browsers tell of none below 16. */
  inp: number;
  /** KB (1000 bytes) of JavaScript as they came over the wire, until the page was still. */
  scriptKb: number;
}

/** As much as is read of the browser's own entries. */
interface Entry {
  startTime: number;
  duration: number;
  /** Of a shift. */
  value: number;
  hadRecentInput: boolean;
  /** Of an act; 0 for events that are none. */
  interactionId: number;
}

type Seen = Omit<Vitals, 'scriptKb'>;

/** Runs in the page, before anything of it. Shifts count as the web vitals do: the worst burst, without a person's doing. */
const watch = () => {
  const seen: Seen = { lcp: 0, cls: 0, inp: 16 };
  const burst = { first: 0, last: 0, sum: 0 };
  const on = (type: string, options: object, take: (entry: Entry) => void) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) take(entry as unknown as Entry);
    }).observe({ type, buffered: true, ...options } as never);
  on('largest-contentful-paint', {}, ({ startTime }) => {
    seen.lcp = startTime;
  });
  on('layout-shift', {}, (shift) => {
    if (shift.hadRecentInput) return;
    const goesOn = shift.startTime - burst.last < 1000 && shift.startTime - burst.first < 5000;
    if (!goesOn) Object.assign(burst, { first: shift.startTime, sum: 0 });
    burst.last = shift.startTime;
    burst.sum += shift.value;
    seen.cls = Math.max(seen.cls, burst.sum);
  });
  on('event', { durationThreshold: 16 }, (event) => {
    if (event.interactionId) seen.inp = Math.max(seen.inp, event.duration);
  });
  Object.assign(globalThis, { seenVitals: seen });
};

/** Starts to watch a page that has not been anywhere yet; `slower` is how many times slower its processor seems. */
export async function observe(
  page: Page,
  slower: number,
): Promise<{ result: () => Promise<Vitals>; quiet: () => void }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  if (slower > 1) await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  const scripts = new Set<string>();
  let bytes = 0;
  let counting = true;
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    if (counting && response.mimeType.includes('javascript')) scripts.add(requestId);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await page.addInitScript(watch);
  return {
    /** From here on scripts are what somebody asked for, and no longer the first load. */
    quiet: () => {
      counting = false;
    },
    result: async () => {
      // Two frames: the last act's paint has been seen then, and told of.
      const seen = await page.evaluate<Seen>(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(seenVitals)))))',
      );
      return { ...seen, scriptKb: bytes / 1000 };
    },
  };
}
