import { Id } from '@lightbox/contract/ids.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshLists } from '../images/cache';
import { rereadImage } from '../images/images';
import { rereadStudy } from '../images/studies';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { fromMail } from './mail';

/** The reason why no further code is accepted: a locked share needs a new code, an ended one a new share. */
export type Halt = 'locked' | 'ended';

/** The state of the dialog: the id, the code and the server's answer about them. */
export function useVerify(startId: string) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [id, setId] = useState(startId);
  const [code, setCode] = useState('');
  const [idFault, setIdFault] = useState<string>();
  const [codeFault, setCodeFault] = useState<string>();
  const [halt, setHalt] = useState<Halt>();
  const [verified, setVerified] = useState<Image>();

  function refuse(error: unknown) {
    const known = error instanceof ApiError ? error : undefined;
    setCode('');
    if (known?.code === 'CODE_LOCKED') return setHalt('locked');
    if (known?.code === 'EXPIRED') {
      refreshLists(cache, 'shared');
      return setHalt('ended');
    }
    if (known?.status === 404) return setIdFault(t('sharing.verify.unknown'));
    if (known?.code === 'WRONG_CODE') {
      const { triesLeft } = known.details;
      if (triesLeft === 0) return setHalt('locked');
      return setCodeFault(
        typeof triesLeft === 'number'
          ? t('sharing.verify.wrongTries', { count: triesLeft })
          : t('sharing.verify.wrong'),
      );
    }
    setCodeFault(errorText(error, t('sharing.verify.failed')));
  }

  const mutation = useMutation({
    mutationFn: async (entered: string) => {
      const body = { sharingRequestId: id.trim(), verificationCode: entered };
      const { data } = await send(shareCalls.verifyShare, { body });
      return data.studyId ? rereadStudy(cache, data.studyId) : rereadImage(cache, data.imagemetadataId);
    },
    meta: { silent: true },
    onSuccess: setVerified,
    onError: refuse,
  });

  function submit(entered = code) {
    if (mutation.isPending || halt) return;
    const goodId = Id.safeParse(id.trim()).success;
    const goodCode = entered.length === limits.codeDigits;
    setIdFault(goodId ? undefined : t('sharing.verify.idNeeded'));
    setCodeFault(goodCode ? undefined : t('sharing.verify.codeNeeded'));
    if (goodId && goodCode) mutation.mutate(entered);
  }

  return {
    id,
    code,
    idFault,
    codeFault,
    halt,
    verified,
    done: mutation.isSuccess,
    pending: mutation.isPending,
    submit,
    changeId: (value: string) => {
      setId(value);
      setIdFault(undefined);
      setHalt(undefined);
    },
    changeCode: (value: string) => {
      setCode(value);
      // The server's message stays until the user types again.
      if (value) setCodeFault(undefined);
    },
    /** Fills the fields from the pasted text. Returns false when it contains neither id nor code. */
    paste: (text: string) => {
      const found = fromMail(text);
      if (found.id) {
        setId(found.id);
        setIdFault(undefined);
        setHalt(undefined);
      }
      if (found.code) {
        setCode(found.code);
        setCodeFault(undefined);
      }
      return Boolean(found.id || found.code);
    },
  };
}
