import { Box, Button, Flex, Text } from '@chakra-ui/react';
import type { PasskeyAnswer } from '@lightbox/contract/auth/passkeys.js';
import { FingerprintIcon } from '@phosphor-icons/react';
import { useAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { startOf } from '../lib/paths';
import { toast } from '../lib/toaster';
import { authCalls } from './calls';
import { choosePasskey, endAutofill, offersAutofill, passkeysPossible } from './passkey';
import { startSession, takePlace, verificationAtom } from './session';

/** Returns the passkey that the person chooses, or undefined if they choose none. */
async function choose(autofill: boolean): Promise<PasskeyAnswer | undefined> {
  const { data } = await send(authCalls.askPasskey, { body: {} }, { token: 'none' });
  return choosePasskey(data, { autofill });
}

function useEnter(autofill: boolean) {
  const navigate = useNavigate();
  const [verification, setVerification] = useAtom(verificationAtom);
  const entered = useRef(false);
  // Not before this screen is gone: without it, /verify-account leads to /login.
  useEffect(
    () => () => {
      if (entered.current) setVerification(null);
    },
    [setVerification],
  );
  return async (body: PasskeyAnswer | undefined): Promise<void> => {
    if (!body) return;
    // After a provider of single sign-on the passkey completes that sign-in, and opens none of its own. At /login the person
    // begins anew.
    const { data } =
      verification?.signOn && !autofill
        ? await send(authCalls.confirm, { body: { passkey: body } }, { token: verification.token })
        : await send(authCalls.passkeySignIn, { body }, { token: 'none' });
    startSession(data.user, data.token);
    entered.current = true;
    // /login leads on by itself.
    if (!autofill) navigate(takePlace(data.user.id) ?? startOf(data.user.role.name), { replace: true });
  };
}

const showError = (error: unknown) => toast.error(errorText(error));

/** A button to sign in with a passkey. If the browser can, passkeys are also suggestions of the e-mail field. */
export function PasskeySignIn({ autofill = false }: { autofill?: boolean }) {
  const { t } = useTranslation();
  const enter = useEnter(autofill);
  const latest = useRef(enter);
  latest.current = enter;
  const [pending, setPending] = useState(false);
  const possible = passkeysPossible();
  useEffect(() => {
    if (!autofill || !possible) return;
    let here = true;
    // Errors before the choice of a passkey are not shown: the person may be typing a password.
    void offersAutofill()
      .then((offers) => (offers && here ? choose(true) : undefined))
      .catch(() => undefined)
      .then((chosen) => latest.current(chosen))
      .catch(showError);
    return () => {
      here = false;
      void endAutofill();
    };
  }, [autofill, possible]);
  if (!possible) return null;
  const press = async () => {
    toast.dismiss();
    setPending(true);
    await choose(false).then(enter).catch(showError);
    setPending(false);
  };
  return (
    <>
      {autofill && (
        <Flex align="center" gap="3" my="4" aria-hidden>
          <Box flex="1" borderTopWidth="1px" />
          <Text fontSize="sm" color="fg.muted">
            {t('auth.passkey.or')}
          </Text>
          <Box flex="1" borderTopWidth="1px" />
        </Flex>
      )}
      <Button
        variant={autofill ? 'outline' : 'solid'}
        size="xl"
        w="full"
        loading={pending}
        onClick={() => void press()}
      >
        <FingerprintIcon aria-hidden />
        {t('auth.passkey.act')}
      </Button>
    </>
  );
}
