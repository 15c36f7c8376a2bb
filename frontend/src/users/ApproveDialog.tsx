import { Button, Checkbox, Dialog, Text } from '@chakra-ui/react';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { Modal } from '../ui/Modal';
import { Credentials } from './Credentials';
import { useApprove } from './users';

/** Shows the credentials of a provider before the approval. The administrator confirms that they checked the license. */
export function ApproveDialog({ user, onClose }: { user: UserRow; onClose: () => void }) {
  const { t } = useTranslation();
  const [checked, setChecked] = useState(false);
  const approve = useApprove();
  const name = fullName(user);
  return (
    <Modal open onClose={onClose} title={t('users.approve.askTitle', { name })}>
      <Dialog.Body>
        <Text color="fg.muted" mb="4" overflowWrap="anywhere">
          {user.email}
        </Text>
        <Credentials user={user} />
        <Checkbox.Root
          mt="5"
          minH="touch"
          checked={checked}
          onCheckedChange={(change) => setChecked(change.checked === true)}
        >
          <Checkbox.HiddenInput />
          <Checkbox.Control />
          <Checkbox.Label>{t('users.approve.checked')}</Checkbox.Label>
        </Checkbox.Root>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          disabled={!checked}
          loading={approve.isPending}
          loadingText={t('users.approve.pending')}
          onClick={() => approve.mutate(user.email, { onSuccess: onClose })}
        >
          {t('users.approve.approveAct')}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
