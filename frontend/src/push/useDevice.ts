import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { toast } from '../lib/toaster';
import { claimDevice, turnOff, turnOn } from './device';

/** Keeps this browser's subscription with the session of whoever is signed in. */
export function useClaimedDevice(userId: string | undefined) {
  useEffect(() => {
    if (!userId) return;
    const claim = () => void claimDevice().catch(() => undefined);
    claim();
    const worker = navigator.serviceWorker;
    // The push service gave the browser another address; only a signed-in page can tell the server.
    const hear = ({ data }: MessageEvent) => data === 'subscription changed' && claim();
    worker?.addEventListener('message', hear);
    return () => worker?.removeEventListener('message', hear);
  }, [userId]);
}

/** Turns notifications in this browser on or off, and says what came of it. */
export function useSwitchDevice() {
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (on: boolean) => (on ? turnOn() : turnOff()),
    meta: { silent: true },
    onSuccess: (state) => state === 'on' && toast.success(t('push.turnedOn')),
    onError: (error) => toast.error(errorText(error, t('push.failed'))),
  });
}
