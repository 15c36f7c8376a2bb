import type { Icon } from '@phosphor-icons/react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, faultAt } from '../lib/errors';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from './ConfirmDialog';
import { PasswordField } from './PasswordField';

interface Props {
  Icon: Icon;
  title: string;
  text: string;
  act: string;
  /** A word that the person must type too. */
  word?: string;
  pending: boolean;
  onClose: () => void;
  /** `refuse` shows a wrong password at the field, and any other error in a toast. */
  onConfirm: (password: string, refuse: (error: unknown) => void) => void;
  /** The text for an error without a text of its own. */
  failed?: string;
}

/** Asks for the person's password before an action. */
export function PasswordDialog({ text, onConfirm, failed, ...props }: Props) {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const refuse = (words: string) => {
    setFault(words);
    field.current?.focus();
  };
  const confirm = () => {
    if (!password) return refuse(t('profile.remove.passwordNeeded'));
    onConfirm(password, (error) => {
      const wrong = faultAt(error, 'password');
      if (wrong) refuse(wrong);
      else toast.error(errorText(error, failed));
    });
  };
  return (
    <ConfirmDialog
      open
      onConfirm={confirm}
      fields={
        <PasswordField
          ref={field}
          label={t('profile.remove.password')}
          autoComplete="current-password"
          value={password}
          error={fault}
          onChange={(event) => {
            setPassword(event.target.value);
            setFault(undefined);
          }}
        />
      }
      {...props}
    >
      {text}
    </ConfirmDialog>
  );
}
