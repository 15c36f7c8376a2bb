import { Stack } from '@chakra-ui/react';
import { type UseFormRegister, useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NewPassword } from '../NewPassword';
import type { Values } from './form';

export function SecurityStep() {
  const { t } = useTranslation();
  const { register, formState, watch, getValues } = useFormContext<Values>();
  return (
    <Stack gap="block" maxW="440px">
      <NewPassword
        label={t('auth.password')}
        register={register as unknown as UseFormRegister<{ password: string; confirm: string }>}
        errors={formState.errors}
        value={watch('password')}
        owner={getValues()}
      />
    </Stack>
  );
}
