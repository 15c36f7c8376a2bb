import { Button, Dialog, Text, Textarea } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { userCalls } from '@lightbox/contract/users/calls.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { toast } from '../lib/toaster';
import { Field } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { useReject } from './users';

/** Rejects a provider with a reason, which the provider reads in the mail. */
export function RejectDialog({ user, onClose }: { user: UserRow; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useId();
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
    <Modal open onClose={onClose} title={t('users.approve.rejectTitle', { name: fullName(user) })}>
      <Dialog.Body>
        <Text color="fg.muted" mb="4">
          {t('users.approve.rejectText')}
        </Text>
        <form id={form} onSubmit={submit} noValidate>
          <Field
            label={t('users.approve.reason')}
            help={t('users.approve.reasonHelp')}
            error={formState.errors.reason?.message}
          >
            <Textarea size="lg" rows={4} dir="auto" {...register('reason')} />
          </Field>
        </form>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          type="submit"
          form={form}
          colorPalette="danger"
          loading={reject.isPending}
          loadingText={t('users.approve.rejectAct')}
        >
          {t('users.approve.rejectAct')}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
