import { Button, Link, Stack, Text } from '@chakra-ui/react';
import { CheckCircleIcon, LinkBreakIcon, ShieldWarningIcon, SignOutIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { Note } from '../ui/Note';
import { AuthFrame } from './AuthFrame';
import { authCalls } from './calls';
import { useLinkToken } from './useLinkToken';

/** The screen behind the link in a security mail. Opening it changes nothing, because mail scanners open links too. */
export function NotMe() {
  const { t } = useTranslation();
  const token = useLinkToken(paths.notMe);
  const undo = useMutation({
    mutationFn: (token: string) => send(authCalls.notMe, { body: { token } }, { token: 'none' }),
    meta: { silent: 'always' },
    onError: (error) => !isOver(error) && toast.error(errorText(error)),
  });
  const over = !token || isOver(undo.error);
  const undone = undo.data?.data.undone;
  return (
    <AuthFrame
      title={t('auth.notMe.title')}
      badge={<ShieldWarningIcon size={28} aria-hidden />}
      sub={!over && !undo.isSuccess && <Text>{t('auth.notMe.text')}</Text>}
    >
      <Stack gap="5" mb="6">
        {undo.isSuccess ? (
          <>
            <Note Icon={CheckCircleIcon} tone="success" role="status" title={t('auth.notMe.done')}>
              {undone ? t(`auth.notMe.undone.${undone}`) : t('auth.notMe.nothing')}
            </Note>
            <Text color="fg.muted">{t('auth.notMe.next')}</Text>
            <Button asChild size="xl">
              <RouterLink to={paths.forgotPassword}>{t('auth.notMe.password')}</RouterLink>
            </Button>
          </>
        ) : over ? (
          <>
            <Note Icon={LinkBreakIcon} tone="warning" role="status" title={t('auth.notMe.over')}>
              {t('auth.notMe.overText')}
            </Note>
            <Link asChild variant="underline" fontWeight="semibold" alignSelf="center">
              <RouterLink to={paths.forgotPassword}>{t('auth.notMe.password')}</RouterLink>
            </Link>
          </>
        ) : (
          <Button
            size="xl"
            colorPalette="danger"
            loading={undo.isPending}
            loadingText={t('auth.notMe.pending')}
            onClick={() => undo.mutate(token)}
          >
            <SignOutIcon aria-hidden />
            {t('auth.notMe.act')}
          </Button>
        )}
      </Stack>
    </AuthFrame>
  );
}

/** True when the link was used, has expired (410) or is incomplete (422). */
const isOver = (error: unknown): boolean => error instanceof ApiError && [410, 422].includes(error.status);
