import type { Config } from '../config/config.js';

const NOTHING = async (): Promise<void> => undefined;

/**
 * Loads the SDK of OpenTelemetry when an endpoint is set, and no module of it otherwise. Call it before the process begins
 * its work. Returns the function that sends what waits.
 */
export async function startTraces({ tracing }: Config, service: string): Promise<() => Promise<void>> {
  if (!tracing) return NOTHING;
  const { startSdk } = await import('./sdk.js');
  return startSdk(service, tracing.sampler, tracing.share);
}
