import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { userCalls } from '@lightbox/contract/users/calls.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { updateSessionUser } from '../auth/session';
import { errorText } from '../lib/errors';
import { formatBytes } from '../lib/format';
import { send } from '../lib/http';
import { fetchAnew } from '../lib/live';
import { UserAvatar } from '../ui/UserAvatar';
import { oneUser } from '../users/users';

/** Reads the own profile again, and stores the photo for the menu. */
function useReread() {
  const cache = useQueryClient();
  return async () => {
    const { data } = await fetchAnew(cache, oneUser());
    updateSessionUser(data);
  };
}

/** The own photo with the buttons that set and remove it. */
export function OwnPhoto({ user }: { user: User }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const reread = useReread();
  const [said, setSaid] = useState('');
  const set = useMutation({
    mutationFn: (file: File) => {
      const body = new FormData();
      body.append('file', file);
      return send(userCalls.setPhoto, { body });
    },
    meta: { silent: true },
    onMutate: () => setSaid(''),
    onSuccess: async ({ data }) => {
      await reread();
      setSaid(t(data.photo ? 'profile.photo.saved' : 'profile.photo.preparing'));
    },
  });
  const remove = useMutation({
    mutationFn: () => send(userCalls.removePhoto, {}),
    meta: { silent: true },
    onMutate: () => setSaid(''),
    onSuccess: async () => {
      await reread();
      setSaid(t('profile.photo.removed'));
    },
  });
  const error = set.error ?? remove.error;
  return (
    <Box maxW={{ base: 'full', md: '260px' }} minW="0">
      <Flex align="center" gap="4" wrap="wrap">
        <UserAvatar person={user} role={user.role.name} size="lg" />
        <Flex direction="column" gap="2" align="flex-start">
          <Button size="sm" variant="outline" loading={set.isPending} onClick={() => input.current?.click()}>
            {t(user.photo ? 'profile.photo.change' : 'profile.photo.set')}
          </Button>
          {user.photo && (
            <Button size="sm" variant="ghost" loading={remove.isPending} onClick={() => remove.mutate()}>
              {t('profile.photo.remove')}
            </Button>
          )}
        </Flex>
      </Flex>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/jpeg,image/png"
        aria-label={t('profile.photo.set')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file) set.mutate(file);
        }}
      />
      <Text fontSize="xs" color={error ? 'danger.fg' : 'fg.muted'} mt="2" role="status">
        {error ? errorText(error) : said || t('profile.photo.help', { size: formatBytes(limits.photoBytes) })}
      </Text>
    </Box>
  );
}
