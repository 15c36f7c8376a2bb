import { Button, Link, Stack } from '@chakra-ui/react';
import { WarningIcon } from '@phosphor-icons/react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink, useNavigate, useParams } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { paths, startOf } from '../lib/paths';
import { toast } from '../lib/toaster';
import { Note } from '../ui/Note';
import { Waiting } from '../ui/Skeletons';
import { AuthFrame } from './AuthFrame';
import { sessionAtom, setTotpDue, startSession, takePlace, verificationAtom } from './session';
import { purposeOfReturn, signOnCalls } from './signOn';

/** Takes the answer of the provider out of the address bar: its code must not stay in the history. */
function takeQuery(): string {
  const query = location.search.slice(1);
  history.replaceState(history.state, '', location.pathname);
  return query;
}

function useFinish(provider: string) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const keepVerification = useSetAtom(verificationAtom);
  const signIn = async (query: string) => {
    const call = { params: { provider }, body: { query } };
    const { data } = await send(signOnCalls.finishSignOn, call, { token: 'none' });
    if (data.method) {
      const { token, method, user } = data;
      keepVerification({ token, email: user.email, method, sentAt: Date.now(), signOn: true });
      return navigate(paths.verifyAccount, { replace: true });
    }
    startSession(data.user, data.token);
    setTotpDue(data.setUpTotp === true);
    navigate(takePlace(data.user.id) ?? data.returnTo ?? startOf(data.user.role.name), { replace: true });
  };
  return async (query: string) => {
    const purpose = purposeOfReturn();
    if (purpose === 'signIn') return signIn(query);
    const call = { params: { provider }, body: { query } };
    const { data } =
      purpose === 'link' ? await send(signOnCalls.finishLink, call) : await send(signOnCalls.finishSignOnStepUp, call);
    toast.success(t(`auth.signOn.done.${purpose}`));
    navigate(data.returnTo ?? paths.profile, { replace: true });
  };
}

/** The screen to which a provider of single sign-on sends the browser back. */
export function SignOnReturn() {
  const { t } = useTranslation();
  const { provider = '' } = useParams();
  const finish = useFinish(provider);
  const { user } = useAtomValue(sessionAtom);
  const begun = useRef(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    finish(takeQuery()).catch(setError);
  });
  const back = user ? paths.profile : paths.login;
  return (
    <AuthFrame title={t(error ? 'auth.signOn.failed' : 'auth.signOn.title')}>
      {error ? (
        <Stack gap="5">
          <Note Icon={WarningIcon} tone="warning" role="alert" title={errorText(error)} />
          <Button asChild size="xl">
            <RouterLink to={back}>{t(user ? 'auth.signOn.toProfile' : 'auth.signOn.again')}</RouterLink>
          </Button>
          {!user && (
            <Link asChild variant="underline" alignSelf="center">
              <RouterLink to={paths.help}>{t('auth.signOn.help')}</RouterLink>
            </Link>
          )}
        </Stack>
      ) : (
        <Waiting h="44px" w="100%" />
      )}
    </AuthFrame>
  );
}
