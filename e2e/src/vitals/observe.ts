import type { Page } from 'playwright-core';

/** The web vitals of one visit. */
export interface Vitals {
  /** Milliseconds. */
  lcp: number;
  cls: number;
  /** Milliseconds of the slowest interaction. Browsers report none below 16. */
  inp: number;
  /** KB (1000 bytes) of JavaScript transferred until the page was idle. */
  scriptKb: number;
}

/** The fields that are read from a `PerformanceEntry`. */
interface Entry {
  startTime: number;
  duration: number;
  /** The score of a layout shift. */
  value: number;
  hadRecentInput: boolean;
  /** The id of an interaction; 0 for other events. */
  interactionId: number;
}

type Seen = Omit<Vitals, 'scriptKb'>;

/**
 * Runs in the page before its own scripts. Counts layout shifts by the definition of CLS: the worst burst, without shifts
 * after an input.
 */
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

/** Starts to observe a page before its first navigation. `slower` is the factor of the CPU throttling. */
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
    /** Stops counting scripts: later ones are loaded by an act of the user and are not part of the first load. */
    quiet: () => {
      counting = false;
    },
    result: async () => {
      // Wait for two frames: the paint of the last interaction is reported by then.
      const seen = await page.evaluate<Seen>(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(seenVitals)))))',
      );
      return { ...seen, scriptKb: bytes / 1000 };
    },
  };
}
