import { Box, Button, Checkbox, Flex, Stack, Text } from '@chakra-ui/react';
import { type TokenScope, tokenDays, tokenScopes } from '@lightbox/contract/auth/personalTokens.js';
import { limits } from '@lightbox/contract/limits.js';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '../ui/Field';
import { SecretOnce } from '../ui/SecretOnce';
import { Segment } from '../ui/Segment';
import { useCreateToken } from './security';

/** Shows the token, which was made just now. */
function Made({ token, onDone }: { token: string; onDone: () => void }) {
  const { t } = useTranslation();
  const texts = {
    title: t('security.tokens.saveTitle'),
    text: t('security.tokens.saveText'),
    label: t('security.tokens.token'),
    act: t('security.tokens.copy'),
    done: t('security.tokens.saved'),
  };
  return <SecretOnce texts={texts} secret={token} onDone={onDone} />;
}

function Scopes({
  chosen,
  fault,
  onChange,
}: {
  chosen: TokenScope[];
  fault: boolean;
  onChange: (chosen: TokenScope[]) => void;
}) {
  const { t } = useTranslation();
  const [label, error] = [useId(), useId()];
  return (
    <Box role="group" aria-labelledby={label} {...(fault && { 'aria-describedby': error })}>
      <Text id={label} fontSize="sm" fontWeight="semibold" mb="1">
        {t('security.tokens.scopes')}
      </Text>
      {tokenScopes.map((scope) => (
        <Checkbox.Root
          key={scope}
          display="flex"
          minH="touch"
          invalid={fault}
          checked={chosen.includes(scope)}
          onCheckedChange={({ checked }) =>
            onChange(checked === true ? [...chosen, scope] : chosen.filter((one) => one !== scope))
          }
        >
          <Checkbox.HiddenInput />
          <Checkbox.Control />
          <Checkbox.Label>{t(`security.tokens.may.${scope}`)}</Checkbox.Label>
        </Checkbox.Root>
      ))}
      {fault && (
        <Flex id={error} role="alert" gap="1.5" fontSize="xs" color="fg.error">
          <WarningCircleIcon size={17} aria-hidden style={{ flex: 'none' }} />
          {t('security.tokens.scopesNeeded')}
        </Flex>
      )}
    </Box>
  );
}

/** The form for a new token: a name, the things that it may do, and its end. After it, the token is shown once. */
export function NewToken({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const create = useCreateToken();
  const daysLabel = useId();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<TokenScope[]>([]);
  const [days, setDays] = useState<number>(tokenDays[1]);
  const [faults, setFaults] = useState<{ name?: true; scopes?: true }>({});
  if (create.data) return <Made token={create.data.data.token} onDone={onDone} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing = {
      ...(!name.trim() && { name: true as const }),
      ...(scopes.length === 0 && { scopes: true as const }),
    };
    setFaults(missing);
    if (Object.keys(missing).length === 0) create.mutate({ name: name.trim(), scopes, days });
  };
  return (
    <Stack asChild gap="5">
      <form noValidate onSubmit={submit}>
        <TextField
          autoFocus
          label={t('security.tokens.name')}
          help={t('security.tokens.nameHelp')}
          maxLength={limits.tokenNameLength}
          value={name}
          error={faults.name && t('security.tokens.nameNeeded')}
          onChange={(event) => {
            setName(event.target.value);
            setFaults(({ name: _, ...rest }) => rest);
          }}
        />
        <Scopes
          chosen={scopes}
          fault={Boolean(faults.scopes)}
          onChange={(chosen) => {
            setScopes(chosen);
            setFaults(({ scopes: _, ...rest }) => rest);
          }}
        />
        <Box>
          <Text id={daysLabel} fontSize="sm" fontWeight="semibold" mb="1.5">
            {t('security.tokens.days')}
          </Text>
          <Segment
            labelledBy={daysLabel}
            name={daysLabel}
            options={tokenDays.map((count) => ({ value: String(count), label: t('sharing.share.days', { count }) }))}
            selected={String(days)}
            onChange={(event) => setDays(Number(event.target.value))}
          />
        </Box>
        <Button type="submit" loading={create.isPending} loadingText={t('security.tokens.make')}>
          {t('security.tokens.make')}
        </Button>
      </form>
    </Stack>
  );
}
