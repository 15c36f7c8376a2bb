import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { shareMark } from '@lightbox/contract/sharing/mark.js';
import { idPattern } from '@lightbox/contract/written.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lockShare, refreshLists } from '../images/cache';
import { rereadImage } from '../images/images';
import { rereadStudy } from '../images/studies';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { fromMail } from './mail';

/** The reason why no further code is accepted: a locked share needs a new code, an ended one a new share. */
export type Halt = 'locked' | 'ended';

/** A right code that belongs to another share of the same person. */
interface Other {
  id: string;
  code: string;
}

/** The state of the dialog: the id, the code and the server's answer about them. `locked`: the known share is locked. */
export function useVerify(startId: string, locked: boolean) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [id, setId] = useState(startId);
  const [code, setCode] = useState('');
  const [idFault, setIdFault] = useState<string>();
  const [codeFault, setCodeFault] = useState<string>();
  const [halt, setHalt] = useState<Halt | undefined>(locked ? 'locked' : undefined);
  const [other, setOther] = useState<Other>();
  const [verified, setVerified] = useState<Image>();

  // A new code unlocks the share, also when its owner sends it.
  useEffect(() => setHalt((now) => (locked ? 'locked' : now === 'locked' ? undefined : now)), [locked]);

  function lock() {
    lockShare(cache, id.trim(), true);
    setHalt('locked');
  }
  function refuse(error: unknown, entered: string) {
    const known = error instanceof ApiError ? error : undefined;
    setCode('');
    if (known?.code === 'CODE_LOCKED') return lock();
    if (known?.code === 'EXPIRED') {
      refreshLists(cache, 'shared');
      return setHalt('ended');
    }
    if (known?.status === 404) return setIdFault(t('sharing.verify.unknown'));
    if (known?.code === 'WRONG_CODE') {
      const { triesLeft: count, belongsTo } = known.details;
      if (typeof belongsTo === 'string') setOther({ id: belongsTo, code: entered });
      if (count === 0) return lock();
      if (typeof count !== 'number') return setCodeFault(t('sharing.verify.wrong'));
      return setCodeFault(
        typeof belongsTo === 'string'
          ? t('sharing.verify.belongsTo', { count, mark: shareMark(belongsTo) })
          : t('sharing.verify.wrongTries', { count }),
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
    onError: (error, entered) => refuse(error, entered),
  });

  function submit(entered = code) {
    if (mutation.isPending || halt) return;
    setOther(undefined);
    const goodId = idPattern.test(id.trim());
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
    other,
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
    /** Goes on with the other share to which the code belongs. */
    turnTo: ({ id: right, code: entered }: Other) => {
      setId(right);
      setCode(entered);
      setOther(undefined);
      setHalt(undefined);
      setIdFault(undefined);
      setCodeFault(undefined);
    },
    /** Drops the code that a new one will replace. Not when that was sent: its mail may be faster than the answer. */
    drop: () => {
      setOther(undefined);
      setCode('');
      setCodeFault(undefined);
    },
    /** A new code was sent: the tries start again. */
    renewed: () => {
      lockShare(cache, id.trim(), false);
      setHalt(undefined);
    },
    ended: () => {
      refreshLists(cache, 'shared');
      setHalt('ended');
    },
    /** Fills the fields from the pasted text. Returns false when it contains neither id nor code. */
    paste: (text: string) => {
      const found = fromMail(text, id.trim());
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
