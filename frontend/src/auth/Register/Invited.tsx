import { Box, Button } from '@chakra-ui/react';
import { CheckCircleIcon, EnvelopeSimpleOpenIcon, LinkBreakIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router-dom';
import { send } from '../../lib/http';
import { paths } from '../../lib/paths';
import { EmptyState } from '../../ui/EmptyState';
import { authCalls } from '../calls';

/** Shown in place of the form when the invited address has an account: the images go to that account. */
export function HasAccount({ token, email }: { token: string; email: string }) {
  const { t } = useTranslation();
  const accept = useMutation({
    mutationFn: () => send(authCalls.acceptInvitation, { body: { token } }, { token: 'none' }),
    meta: { fallback: t('auth.invite.acceptFailed') },
  });
  return (
    <Box my="auto" role="status">
      {accept.isSuccess ? (
        <EmptyState
          as="h1"
          Icon={CheckCircleIcon}
          title={t('auth.invite.acceptedTitle')}
          text={t('auth.invite.acceptedText')}
          act={
            <Button asChild>
              <RouterLink to={paths.login}>{t('auth.forgot.toLogin')}</RouterLink>
            </Button>
          }
        />
      ) : (
        <EmptyState
          as="h1"
          Icon={EnvelopeSimpleOpenIcon}
          title={t('auth.invite.knownTitle')}
          text={t('auth.invite.knownText', { email })}
          act={
            <Button loading={accept.isPending} onClick={() => accept.mutate()}>
              {t('auth.invite.accept')}
            </Button>
          }
        />
      )}
    </Box>
  );
}

/** Shown in place of the form when the link of an invitation does not work any more. */
export function InvitationEnded({ onRegister }: { onRegister: () => void }) {
  const { t } = useTranslation();
  return (
    <Box my="auto" role="status">
      <EmptyState
        as="h1"
        Icon={LinkBreakIcon}
        title={t('auth.invite.endedTitle')}
        text={t('auth.invite.endedText')}
        act={
          <Button variant="subtle" onClick={onRegister}>
            {t('auth.invite.register')}
          </Button>
        }
      />
    </Box>
  );
}
