import { zodResolver } from '@hookform/resolvers/zod';
import { userCalls } from '@lightbox/contract/users/calls.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { toast } from '../lib/toaster';
import { TextDialog } from '../ui/TextDialog';
import { useReject } from './users';

/** Rejects a provider with a reason, which the provider reads in the mail. */
export function RejectDialog({ user, onClose }: { user: UserRow; onClose: () => void }) {
  const { t } = useTranslation();
  const reject = useReject();
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(userCalls.rejectProvider.body.pick({ reason: true })),
    defaultValues: { reason: '' },
  });
  const submit = handleSubmit(({ reason }) =>
    reject.mutate(
      { email: user.email, reason },
      {
        onSuccess: ({ message }) => {
          toast.success(message ?? t('users.approve.rejected'), { description: fullName(user) });
          onClose();
        },
      },
    ),
  );
  return (
    <TextDialog
      title={t('users.approve.rejectTitle', { name: fullName(user) })}
      text={t('users.approve.rejectText')}
      label={t('users.approve.reason')}
      help={t('users.approve.reasonHelp')}
      error={formState.errors.reason?.message}
      field={register('reason')}
      act={t('users.approve.rejectAct')}
      danger
      pending={reject.isPending}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
