import { codePattern, recoveryCodePattern } from '@lightbox/contract/auth/rules.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { useMutation } from '@tanstack/react-query';
import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { said } from '../i18n';
import { errorText, fieldText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { startOf } from '../lib/paths';
import { toast } from '../lib/toaster';
import { authCalls } from './calls';
import { passkeysPossible } from './passkey';
import { setTotpDue, startSession, takePlace, verificationAtom } from './session';
import { useWrongCode } from './useWrongCode';

/** The state of the second step of a sign-in: the typed code or recovery code, and the error of the last try. */
export function useConfirm() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [verification, setVerification] = useAtom(verificationAtom);
  const totp = verification?.method === 'totp';
  const passkey = verification?.method === 'passkey';
  const words = useWrongCode(totp || passkey);
  // If this browser cannot use passkeys, the person needs a recovery code.
  const [recovery, setRecovery] = useState(() => (passkey && !passkeysPossible() ? '' : undefined));
  const byPasskey = passkey && recovery === undefined;
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [goTo, setGoTo] = useState<string>();

  useEffect(() => {
    if (!goTo) return;
    const timer = setTimeout(() => navigate(goTo, { replace: true }), limits.redirectAfterVerification);
    return () => clearTimeout(timer);
  }, [goTo, navigate]);

  const confirm = useMutation({
    mutationFn: (token: string) =>
      send(authCalls.confirm, { body: recovery === undefined ? { code } : { recoveryCode: recovery } }, { token }),
    meta: { silent: 'always' },
    onSuccess: ({ data }) => {
      setGoTo(takePlace(data.user.id) ?? startOf(data.user.role.name));
      startSession(data.user, data.token);
      setTotpDue(data.setUpTotp === true);
      setVerification(null);
    },
    onError: (failed) => {
      setCode('');
      const refusal = words(failed);
      if (refusal) return setError(refusal);
      if (failed instanceof ApiError && failed.errors.length) {
        for (const fault of failed.errors) toast.error(fieldText(fault));
      } else toast.error(errorText(failed));
    },
  });

  const submit = () => {
    if (recovery !== undefined && !recoveryCodePattern.test(recovery.trim())) {
      return setError(said(texts.validRecoveryCode));
    }
    if (!verification || (recovery === undefined && !codePattern.test(code))) {
      return setError(t(totp ? 'auth.verify.appIncomplete' : 'auth.verify.incomplete'));
    }
    setError(undefined);
    confirm.mutate(verification.token);
  };
  const type = (next: string) => {
    setCode(next);
    // The error stays when the refused code is cleared; it goes when the person types.
    if (next) setError(undefined);
  };
  const typeRecovery = (next: string | undefined) => {
    setRecovery(next);
    setError(undefined);
  };
  const sentAgain = () => {
    setError(undefined);
    setCode('');
    if (verification) setVerification({ ...verification, sentAt: Date.now() });
  };
  const method: 'totp' | 'passkey' | undefined = totp ? 'totp' : passkey ? 'passkey' : undefined;
  return {
    verification,
    method,
    byPasskey,
    code,
    recovery,
    error,
    done: goTo !== undefined,
    pending: confirm.isPending,
    type,
    typeRecovery,
    sentAgain,
    submit,
  };
}

export type Confirming = ReturnType<typeof useConfirm>;
