import { Button, Stack } from '@chakra-ui/react';
import type { SignOnProvider } from '@lightbox/contract/signOn/calls.js';
import { BuildingsIcon } from '@phosphor-icons/react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { toast } from '../lib/toaster';
import { goToProvider, signOnCalls } from './signOn';

function useProviders(): SignOnProvider[] {
  const [providers, setProviders] = useState<SignOnProvider[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    send(signOnCalls.listSignOn, {}, { token: 'none', signal: leaving.signal }).then(
      ({ data }) => setProviders(data.providers),
      // Without the buttons the form still works.
      () => undefined,
    );
    return () => leaving.abort();
  }, []);
  return providers;
}

/** A button for each provider of single sign-on. Renders nothing in installations without one. */
export function SignOnButtons() {
  const { t } = useTranslation();
  const providers = useProviders();
  const [going, setGoing] = useState<string>();
  if (!providers.length) return null;
  const go = async (provider: string) => {
    toast.dismiss();
    setGoing(provider);
    try {
      const { data } = await send(signOnCalls.beginSignOn, { params: { provider }, body: {} }, { token: 'none' });
      goToProvider(data.url, 'signIn');
    } catch (error) {
      setGoing(undefined);
      toast.error(errorText(error));
    }
  };
  return (
    <Stack gap="3" mt="3">
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          variant="outline"
          size="xl"
          w="full"
          loading={going === id}
          disabled={going !== undefined}
          onClick={() => void go(id)}
        >
          <BuildingsIcon aria-hidden />
          {t('auth.signOn.act', { name })}
        </Button>
      ))}
    </Stack>
  );
}
