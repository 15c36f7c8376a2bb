import { Button, Stack } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../lib/toaster';
import { TextField } from '../ui/Field';
import { RecoveryCodes } from './RecoveryCodes';
import { useAddPasskey } from './security';

interface NameFormProps {
  name?: string;
  act: string;
  pending: boolean;
  onName: (name: string) => void;
}

export function NameForm({ name = '', act, pending, onName }: NameFormProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(name);
  const [fault, setFault] = useState<string>();
  return (
    <Stack asChild gap="5">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim()) onName(typed.trim());
          else setFault(t('security.passkeys.nameNeeded'));
        }}
      >
        <TextField
          autoFocus
          label={t('security.passkeys.name')}
          help={t('security.passkeys.nameHelp')}
          maxLength={limits.passkeyNameLength}
          value={typed}
          error={fault}
          onChange={(event) => {
            setTyped(event.target.value);
            setFault(undefined);
          }}
        />
        <Button type="submit" loading={pending} loadingText={act}>
          {act}
        </Button>
      </form>
    </Stack>
  );
}

/** Asks for a name, lets the browser create the passkey, and shows the recovery codes after the first one. */
export function AddPasskey({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const add = useAddPasskey();
  const codes = add.data?.recoveryCodes;
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />;
  return (
    <NameForm
      act={t('security.passkeys.make')}
      pending={add.isPending}
      onName={(name) =>
        add.mutate(name, {
          onSuccess: (made) => {
            if (!made) toast.error(t('security.passkeys.none'));
            else if (!made.recoveryCodes) onDone();
          },
        })
      }
    />
  );
}
