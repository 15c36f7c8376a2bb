import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { authCalls } from './calls';
import { endSession } from './session';

/**
 * Ends the session on the server, then here. If the server cannot be reached, the session stays and a toast says so.
 */
export function useLogout() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const done = (url?: string) => {
    navigate(paths.login);
    endSession('logout');
    // The provider signs out too, and sends the browser back.
    if (url) return location.assign(url);
    toast.success(t('app.loggedOut'));
  };
  const { mutate, isPending } = useMutation({
    // It finishes here, because the callbacks of a mutation end with the session, and the server may end that first.
    mutationFn: async () => {
      try {
        const { data } = await send(authCalls.logout, { body: {} }, { endsSession: true });
        done(data?.url);
      } catch (error) {
        // On 401 the session has already ended on the server.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
        done();
      }
    },
    meta: { silent: 'always' },
    onError: (error) => toast.error(errorText(error, t('app.logoutFailed'))),
  });
  return { now: () => mutate(), pending: isPending };
}
