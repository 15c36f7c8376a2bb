import type { Owner } from '@lightbox/contract/auth/foreseeable.js';
import { passwordFault } from '@lightbox/contract/auth/rules.js';
import type { FieldErrors, UseFormRegister } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PasswordField } from '../ui/PasswordField';
import { PasswordRules } from '../ui/PasswordRules';

interface Passwords {
  password: string;
  confirm: string;
}

interface Props {
  register: UseFormRegister<Passwords>;
  errors: FieldErrors<Passwords>;
  value: string;
  label: string;
  /** The owner's names and address, as far as this screen knows them: a password may not contain them. */
  owner?: Owner;
}

/** Two fields for a new password, with the password rules between them. Both must be filled in and equal. */
export function NewPassword({ register, errors, value, label, owner }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <PasswordField
        label={label}
        autoComplete="new-password"
        error={errors.password?.message}
        {...register('password', {
          validate: (password) => (password ? passwordFault(password, owner) : t('auth.forgot.empty')),
        })}
      />
      <PasswordRules value={value} />
      <PasswordField
        label={t('auth.confirmPassword')}
        autoComplete="new-password"
        error={errors.confirm?.message}
        {...register('confirm', {
          validate: (confirm, { password }) => {
            if (!confirm) return t('auth.forgot.empty');
            return confirm === password || t('auth.forgot.differ');
          },
        })}
      />
    </>
  );
}
