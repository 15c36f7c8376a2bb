import type { Routes } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { PublicLimits, settingCalls } from '@lightbox/contract/settings/calls.js';
import { settingRoutes } from '@lightbox/contract/settings/routes.js';
import { useEffect, useState } from 'react';
import { send } from './http';

const calls: Routes<Pick<typeof settingCalls, 'getLimits'>> = settingRoutes;
const defaults: PublicLimits = {
  'clinic.name': '',
  'clinic.phone': '',
  'clinic.url': '',
  'upload.maxBytes': limits.uploadBytes,
  'sharing.expiryHours': limits.shareHours,
};

/** Returns the current limits; and the clinic; the defaults until they are loaded. Uses no query cache, to keep the first pages small. */
export function usePublicLimits(): PublicLimits {
  const [now, setNow] = useState(defaults);
  useEffect(() => {
    const left = new AbortController();
    send(calls.getLimits, {}, { signal: left.signal, token: 'none', background: true }).then(
      ({ data }) => setNow(data),
      // Without an answer the page shows the defaults.
      () => undefined,
    );
    return () => left.abort();
  }, []);
  return now;
}
