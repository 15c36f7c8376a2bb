import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { useNow } from '../lib/useNow';

const pause = throttles.shareCodeWait.seconds;
/** The server answers with a longer wait when the codes of the day are used up. */
const longWait = 2 * pause;

interface Outcome {
  onAsked: () => void;
  onSent: () => void;
  onEnded: () => void;
}

/** The button of a recipient who needs the code once more: the server mails a new one to the recipient’s own address. */
export function useSendAgain(id: string, { onAsked, onSent, onEnded }: Outcome) {
  const { t } = useTranslation();
  const [waits, setWaits] = useState<Record<string, number>>({});
  const [fault, setFault] = useState<string>();
  const until = waits[id] ?? 0;
  const now = useNow(1_000, until > Date.now());
  const waitFor = (seconds: number) => setWaits((all) => ({ ...all, [id]: Date.now() + seconds * 1_000 }));
  const { mutate, isPending, isSuccess, variables } = useMutation({
    mutationFn: (share: string) => send(shareCalls.resendShare, { params: { id: share }, body: {} }),
    meta: { silent: true },
    onMutate: () => {
      setFault(undefined);
      onAsked();
    },
    onSuccess: () => {
      waitFor(pause);
      onSent();
    },
    onError: (error) => {
      if (!(error instanceof ApiError)) return setFault(errorText(error));
      if (error.code === 'EXPIRED') return onEnded();
      const { code, retryAfter = 0 } = error;
      if (retryAfter > 0 && retryAfter <= longWait) waitFor(retryAfter);
      setFault(
        code === 'TOO_MANY_REQUESTS' && retryAfter > longWait ? t('sharing.verify.againTomorrow') : errorText(error),
      );
    },
  });
  return {
    /** Seconds until the next code may be asked for; 0 when it may now. */
    wait: Math.max(0, Math.ceil((until - now) / 1_000)),
    sent: isSuccess && variables === id,
    pending: isPending,
    fault,
    send: () => mutate(id),
  };
}

export type SendingAgain = ReturnType<typeof useSendAgain>;
