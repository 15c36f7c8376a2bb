import { Password } from '@lightbox/contract/users/schemas.js';
import type { TFunction } from 'i18next';
import type { FieldErrors, UseFormRegister } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { PasswordField, PasswordRules } from '../ui/PasswordField';

/** A new password, twice: not empty, equal, and by the rules. */
export const newPasswordShape = (t: TFunction) => ({
  password: z.string().min(1, t('auth.forgot.empty')).pipe(Password),
  confirm: z.string().min(1, t('auth.forgot.empty')),
});

export const sameTwice = (t: TFunction) => ({
  path: ['confirm'],
  message: t('auth.forgot.differ'),
  // Also while another field is still wrong: all faults at once.
  when: ({ value }: { value: unknown }) => Boolean((value as { confirm?: string }).confirm),
});

interface Passwords {
  password: string;
  confirm: string;
}

interface Props {
  register: UseFormRegister<Passwords>;
  errors: FieldErrors<Passwords>;
  value: string;
  label: string;
}

/** The two fields and the rules between them, used wherever a password is chosen. */
export function NewPassword({ register, errors, value, label }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <PasswordField
        label={label}
        autoComplete="new-password"
        error={errors.password?.message}
        {...register('password')}
      />
      <PasswordRules value={value} />
      <PasswordField
        label={t('auth.confirmPassword')}
        autoComplete="new-password"
        error={errors.confirm?.message}
        {...register('confirm')}
      />
    </>
  );
}
