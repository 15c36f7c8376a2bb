import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { toast } from '../lib/toaster';
import { claimDevice, turnOff, turnOn } from './device';

/** Moves the subscription of this browser to the session of the signed-in person, at sign-in and when it changes. */
export function useClaimedDevice(userId: string | undefined) {
  useEffect(() => {
    if (!userId) return;
    const claim = () => void claimDevice().catch(() => undefined);
    claim();
    const worker = navigator.serviceWorker;
    // The push service changed the browser's endpoint. Only a signed-in page can send the new one to the server.
    const onMessage = ({ data }: MessageEvent) => data === 'subscription changed' && claim();
    worker?.addEventListener('message', onMessage);
    return () => worker?.removeEventListener('message', onMessage);
  }, [userId]);
}

/** Turns notifications in this browser on or off, and shows the result in a toast. */
export function useSwitchDevice() {
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (on: boolean) => (on ? turnOn() : turnOff()),
    meta: { silent: 'always' },
    onSuccess: (state) => state === 'on' && toast.success(t('push.turnedOn')),
    onError: (error) => toast.error(errorText(error, t('push.failed'))),
  });
}
