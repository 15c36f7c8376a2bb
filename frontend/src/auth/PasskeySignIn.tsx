import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { FingerprintIcon } from '@phosphor-icons/react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { startOf } from '../app/paths';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { toast } from '../lib/toaster';
import { authCalls } from './calls';
import { choosePasskey, endAutofill, offersAutofill, passkeysPossible } from './passkey';
import { startSession, takePlace } from './session';

const ask = async () => (await send(authCalls.askPasskey, { body: {} }, { token: 'none' })).data;

/** Signs in with a passkey that the person chooses; tells whether they did. */
function useSignIn() {
  const navigate = useNavigate();
  return async (autofill: boolean): Promise<boolean> => {
    const body = await choosePasskey(await ask(), { autofill });
    if (!body) return false;
    const { data } = await send(authCalls.passkeySignIn, { body }, { token: 'none' });
    startSession(data.user, data.token);
    navigate(takePlace(data.user.id) ?? startOf(data.user.role.name), { replace: true });
    return true;
  };
}

/** A button, and, where the browser has it, the suggestions of the e-mail field. */
export function PasskeySignIn({ autofill = false }: { autofill?: boolean }) {
  const { t } = useTranslation();
  const signIn = useSignIn();
  const latest = useRef(signIn);
  latest.current = signIn;
  const [pending, setPending] = useState(false);
  const possible = passkeysPossible();
  useEffect(() => {
    if (!autofill || !possible) return;
    let here = true;
    // Somebody who has no passkey, or chooses none, is not told of one.
    void offersAutofill()
      .then((offers) => offers && here && latest.current(true))
      .catch((error) => here && toast.error(errorText(error)));
    return () => {
      here = false;
      void endAutofill();
    };
  }, [autofill, possible]);
  if (!possible) return null;
  const press = async () => {
    toast.dismiss();
    setPending(true);
    await signIn(false).catch((error) => toast.error(errorText(error)));
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
