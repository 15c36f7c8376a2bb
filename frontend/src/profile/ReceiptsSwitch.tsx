import { Switch, Text } from '@chakra-ui/react';
import { userCalls } from '@lightbox/contract/users/calls.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { send } from '../lib/http';
import { put } from '../lib/live';
import { HeldSwitchInput } from '../ui/HeldInput';
import { oneUser } from '../users/users';

/** The switch of the account that reports reading to the other side, and shows theirs. */
export function ReceiptsSwitch({ user }: { user: User }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const help = useId();
  const { mutate, isPending } = useMutation({
    mutationFn: (readReceipts: boolean) => send(userCalls.updateProfile, { body: { readReceipts } }),
    onSuccess: (answer) => {
      put(cache, oneUser().queryKey, answer);
      // Receipts are only added to cached messages, so read those again that now show fewer.
      cache.removeQueries({ queryKey: ['messages', 'chat'] });
    },
  });
  return (
    <>
      <Switch.Root
        checked={user.readReceipts !== false}
        disabled={isPending}
        onCheckedChange={({ checked }) => mutate(checked)}
        alignItems="start"
        gap="3"
        mb="3"
      >
        <HeldSwitchInput aria-describedby={help} />
        <Switch.Control mt="0.5" flex="none" />
        <Switch.Label fontSize="md" fontWeight="medium">
          {t('messages.receipts.label')}
        </Switch.Label>
      </Switch.Root>
      <Text id={help} fontSize="sm" color="fg.muted">
        {t('messages.receipts.text')}
      </Text>
    </>
  );
}
