import { Button, Text } from '@chakra-ui/react';
import { ShieldCheckIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { AuthFrame } from '../auth/AuthFrame';
import { setTotpDue } from '../auth/session';
import { useLogout } from '../auth/useLogout';
import { reread } from '../lib/live';
import { queryClient } from '../lib/query';
import { SetUpApp } from './SetUpApp';

/** In place of every screen, for those whose role needs an authenticator app and who have none. */
export function RequiredApp() {
  const { t } = useTranslation();
  const logout = useLogout();
  return (
    <AuthFrame
      title={t('security.required.title')}
      badge={<ShieldCheckIcon size={28} aria-hidden />}
      sub={<Text>{t('security.required.text')}</Text>}
    >
      <SetUpApp
        onDone={() => {
          setTotpDue(false);
          void reread(queryClient, []);
        }}
      />
      <Button variant="ghost" w="full" mt="4" mb="6" loading={logout.pending} onClick={logout.now}>
        {t('app.logout')}
      </Button>
    </AuthFrame>
  );
}
