import { NativeSelect } from '@chakra-ui/react';
import { type Role, roles } from '@lightbox/contract/permissions.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { KeyIcon, ShieldSlashIcon, TrashIcon, UserMinusIcon, UserPlusIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { Field } from '../ui/Field';
import { useChangeRole, useDeleteUser, useResetApp, useToggleUser } from './users';

export type AccountAct = 'activate' | 'deactivate' | 'delete' | 'role' | 'appReset';

interface Props {
  act: AccountAct;
  users: UserRow[];
  onClose: () => void;
  onDone: () => void;
}

function DeleteUser({ user, onClose, onDone }: OneProps) {
  const { t } = useTranslation();
  const remove = useDeleteUser();
  const name = fullName(user);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      Icon={TrashIcon}
      title={t('users.table.deleteTitle', { name })}
      act={t('users.table.deleteAct')}
      word={t('users.table.deleteWord')}
      pending={remove.isPending}
      onConfirm={() =>
        remove.mutate(user.id, {
          onSuccess: () => {
            toast.success(t('users.table.deleted', { name }));
            onDone();
          },
        })
      }
    >
      {t('users.table.deleteText')}
    </ConfirmDialog>
  );
}

interface OneProps {
  user: UserRow;
  onClose: () => void;
  onDone: () => void;
}

function ChangeRole({ user, onClose, onDone }: OneProps) {
  const { t } = useTranslation();
  const change = useChangeRole();
  const others = roles.filter((role) => role !== user.role);
  const [role, setRole] = useState<Role>(others[0] ?? user.role);
  const name = fullName(user);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      danger={false}
      Icon={KeyIcon}
      title={t('users.table.roleTitle', { name })}
      act={t('users.table.changeRole')}
      pending={change.isPending}
      onConfirm={() =>
        change.mutate(
          { id: user.id, role },
          {
            onSuccess: () => {
              toast.success(t('users.table.roleDone', { name }));
              onDone();
            },
          },
        )
      }
      fields={
        <Field label={t('users.table.roleNew')}>
          <NativeSelect.Root>
            <NativeSelect.Field value={role} onChange={(event) => setRole(event.target.value as Role)}>
              {others.map((one) => (
                <option key={one} value={one}>
                  {t(`app.role.${one}`)}
                </option>
              ))}
            </NativeSelect.Field>
            <NativeSelect.Indicator />
          </NativeSelect.Root>
        </Field>
      }
    >
      {t('users.table.roleText')}
    </ConfirmDialog>
  );
}

function ResetApp({ user, onClose, onDone }: OneProps) {
  const { t } = useTranslation();
  const reset = useResetApp();
  const name = fullName(user);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      Icon={ShieldSlashIcon}
      title={t('users.table.appResetTitle', { name })}
      act={t('users.table.appReset')}
      pending={reset.isPending}
      onConfirm={() =>
        reset.mutate(user.id, {
          onSuccess: () => {
            toast.success(t('users.table.appResetDone', { name }));
            onDone();
          },
        })
      }
    >
      {t('users.table.appResetText')}
    </ConfirmDialog>
  );
}

/** Activates or deactivates one or several accounts. Accounts that already have the wanted state are skipped. */
function SwitchUsers({ act, users, onClose, onDone }: Props & { act: 'activate' | 'deactivate' }) {
  const { t } = useTranslation();
  const toggle = useToggleUser();
  const [first] = users;
  const off = act === 'deactivate';
  const name = first ? fullName(first) : '';

  // One change of its own: when the person signs out meanwhile, the next one is not told of it.
  const run = useMutation({
    mutationFn: (due: UserRow[]) => Promise.allSettled(due.map(({ id }) => toggle.mutateAsync({ id, active: !off }))),
    onSuccess: (outcomes, due) => {
      const count = outcomes.filter(({ status }) => status === 'fulfilled').length;
      const [only] = due.length === 1 ? due : [];
      if (only && count) {
        toast.success(t(off ? 'users.table.deactivated' : 'users.table.activated', { name: fullName(only) }));
      } else if (count || due.length === 0) toast.success(t('users.table.changed', { count }));
      onDone();
    },
  });

  return (
    <ConfirmDialog
      open
      onClose={onClose}
      danger={off}
      Icon={off ? UserMinusIcon : UserPlusIcon}
      title={
        off
          ? users.length === 1
            ? t('users.table.deactivateTitle', { name })
            : t('users.table.deactivateManyTitle', { count: users.length })
          : t('users.table.activateManyTitle', { count: users.length })
      }
      act={t(off ? 'users.table.deactivate' : 'users.table.activate')}
      pending={run.isPending}
      onConfirm={() => run.mutate(users.filter((user) => user.active === off))}
    >
      {t(off ? 'users.table.deactivateText' : 'users.table.activateText')}
    </ConfirmDialog>
  );
}

/** The dialogs of actions for a single account. */
const single = { delete: DeleteUser, role: ChangeRole, appReset: ResetApp };

/** Asks before an action changes accounts. */
export function AccountDialog({ act, users, onClose, onDone }: Props) {
  const [first] = users;
  const One = single[act as keyof typeof single];
  if (One) return first ? <One user={first} onClose={onClose} onDone={onDone} /> : null;
  if (act !== 'activate' && act !== 'deactivate') return null;
  return <SwitchUsers act={act} users={users} onClose={onClose} onDone={onDone} />;
}
