import { IconButton, Menu, Portal } from '@chakra-ui/react';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import {
  DotsThreeVerticalIcon,
  EyeIcon,
  KeyIcon,
  ShieldSlashIcon,
  TrashIcon,
  UserMinusIcon,
  UserPlusIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import type { AccountAct } from './AccountDialog';

interface RowMenuProps {
  user: UserRow;
  manages: boolean;
  onView: () => void;
  onAct: (act: AccountAct) => void;
}

/** The menu of actions at the end of a row. */
export function RowMenu({ user, manages, onView, onAct }: RowMenuProps) {
  const { t } = useTranslation();
  return (
    <Menu.Root
      lazyMount
      positioning={{ placement: 'bottom-end' }}
      onSelect={({ value }) => (value === 'view' ? onView() : onAct(value as AccountAct))}
    >
      <Menu.Trigger asChild>
        <IconButton variant="ghost" size="sm" aria-label={t('common.actionsFor', { name: fullName(user) })}>
          <DotsThreeVerticalIcon weight="bold" />
        </IconButton>
      </Menu.Trigger>
      <Portal>
        <Menu.Positioner>
          <Menu.Content>
            <Menu.Item value="view">
              <EyeIcon size={20} aria-hidden />
              {t('users.table.view')}
            </Menu.Item>
            {manages && (
              <>
                <Menu.Item value={user.active ? 'deactivate' : 'activate'}>
                  {user.active ? <UserMinusIcon size={20} aria-hidden /> : <UserPlusIcon size={20} aria-hidden />}
                  {t(user.active ? 'users.table.deactivate' : 'users.table.activate')}
                </Menu.Item>
                {user.status === 'active' && (
                  <Menu.Item value="role">
                    <KeyIcon size={20} aria-hidden />
                    {t('users.table.changeRole')}
                  </Menu.Item>
                )}
                {(user.totp || user.passkeys) && (
                  <Menu.Item value="appReset">
                    <ShieldSlashIcon size={20} aria-hidden />
                    {t('users.table.appReset')}
                  </Menu.Item>
                )}
                <Menu.Separator />
                <Menu.Item value="delete" color="danger.fg">
                  <TrashIcon size={20} aria-hidden />
                  {t('users.table.delete')}
                </Menu.Item>
              </>
            )}
          </Menu.Content>
        </Menu.Positioner>
      </Portal>
    </Menu.Root>
  );
}
