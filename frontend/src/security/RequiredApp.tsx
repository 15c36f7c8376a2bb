import '../i18n/further';
import { Button, Text } from '@chakra-ui/react';
import { ShieldCheckIcon } from '@phosphor-icons/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AuthFrame } from '../auth/AuthFrame';
import { passkeysPossible } from '../auth/passkey';
import { setTotpDue } from '../auth/session';
import { useLogout } from '../auth/useLogout';
import { reread } from '../lib/live';
import { queryClient } from '../lib/query';
import { AddPasskey } from './AddPasskey';
import { SetUpApp } from './SetUpApp';

/** Replaces every screen until the person has the authenticator app or the passkey that their role requires. */
export function RequiredApp() {
  const { t } = useTranslation();
  const logout = useLogout();
  const possible = passkeysPossible();
  const [way, setWay] = useState<'passkey' | 'app'>(possible ? 'passkey' : 'app');
  const other = way === 'app' ? 'passkey' : 'app';
  const finish = () => {
    setTotpDue(false);
    void reread(queryClient, []);
  };
  return (
    <AuthFrame
      title={t('security.required.title')}
      badge={<ShieldCheckIcon size={28} aria-hidden />}
      sub={<Text>{t(`security.required.${way}`)}</Text>}
    >
      {way === 'app' ? <SetUpApp onDone={finish} /> : <AddPasskey onDone={finish} />}
      {possible && (
        <Button variant="outline" w="full" mt="4" onClick={() => setWay(other)}>
          {t(`security.required.other.${other}`)}
        </Button>
      )}
      <Button variant="ghost" w="full" mt="4" mb="6" loading={logout.pending} onClick={logout.now}>
        {t('app.logout')}
      </Button>
    </AuthFrame>
  );
}
