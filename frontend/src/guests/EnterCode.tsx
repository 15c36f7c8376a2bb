import { Button, Flex, Stack, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { KeyIcon, PhoneIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AuthFrame } from '../auth/AuthFrame';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { CodeInput } from '../ui/CodeInput';
import { useClinic } from './clinic';
import { openLink } from './guest';

interface Props {
  address: string;
  onOpened: (token: string) => void;
  /** The link takes no code any more. */
  onEnded: () => void;
}

const ends: readonly string[] = ['CODE_LOCKED', 'EXPIRED', 'LINK_REVOKED', 'LINK_USED_UP', 'NOT_FOUND'];

/** Asks for the code that the sender told the guest. */
export function EnterCode({ address, onOpened, onEnded }: Props) {
  const { t } = useTranslation();
  const { clinic } = useClinic();
  const [code, setCode] = useState('');
  const [fault, setFault] = useState<string>();
  const open = useMutation({
    mutationFn: () => openLink(address, code),
    meta: { silent: true },
    onSuccess: ({ data }) => onOpened(data.token),
    onError: (error) => {
      if (error instanceof ApiError && ends.includes(error.code)) return onEnded();
      setCode('');
      const left = error instanceof ApiError ? Number(error.details.triesLeft) : Number.NaN;
      setFault(left > 0 ? t('guests.wrong', { count: left }) : left === 0 ? undefined : errorText(error));
      if (left === 0) onEnded();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.length < limits.codeDigits) return setFault(t('guests.incomplete', { count: limits.codeDigits }));
    setFault(undefined);
    open.mutate();
  };
  return (
    <AuthFrame
      home={false}
      help={false}
      title={t('guests.title')}
      badge={<KeyIcon size={28} aria-hidden />}
      sub={<Text>{clinic ? t('guests.textOf', { clinic }) : t('guests.text')}</Text>}
    >
      <Stack as="form" gap="6" mb="6" onSubmit={submit} {...{ noValidate: true }}>
        <CodeInput
          value={code}
          onChange={(value) => {
            setCode(value);
            setFault(undefined);
          }}
          error={fault}
          autoFocus
          disabled={open.isPending}
          label={t('guests.code')}
          help={
            <Flex gap="1.5">
              <PhoneIcon size={17} aria-hidden style={{ flex: 'none' }} />
              {t('guests.help')}
            </Flex>
          }
        />
        <Button type="submit" size="xl" loading={open.isPending} loadingText={t('guests.opening')}>
          {t('guests.act')}
        </Button>
      </Stack>
    </AuthFrame>
  );
}
