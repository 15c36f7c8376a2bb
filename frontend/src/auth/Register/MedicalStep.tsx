import { Box, Grid, NativeSelect } from '@chakra-ui/react';
import { providerCredentials } from '@lightbox/contract/auth/calls.js';
import { useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { bloodGroups } from '../../lib/bloodGroups';
import { Field, TextField } from '../../ui/Field';
import { providerFields, type Values } from './form';

function PatientFields() {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<Values>();
  return (
    <>
      <TextField
        label={t('auth.register.medical.primphysician')}
        optional
        dir="auto"
        error={formState.errors.primphysician?.message}
        {...register('primphysician')}
      />
      <Field label={t('auth.register.medical.bloodgroup')} optional error={formState.errors.bloodgroup?.message}>
        <NativeSelect.Root size="lg">
          <NativeSelect.Field h="field" {...register('bloodgroup')}>
            <option value="">{t('auth.register.medical.bloodgroupNone')}</option>
            {bloodGroups.map((group) => (
              <option key={group} value={group}>
                {group}
              </option>
            ))}
          </NativeSelect.Field>
          <NativeSelect.Indicator />
        </NativeSelect.Root>
      </Field>
    </>
  );
}

const required: readonly string[] = providerCredentials;

function ProviderFields() {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<Values>();
  return providerFields.map((name) => (
    <TextField
      key={name}
      label={t(`auth.register.medical.${name}`)}
      optional={!required.includes(name)}
      autoComplete="off"
      error={formState.errors[name]?.message}
      {...(name === 'specialization' ? { dir: 'auto' } : { fontFamily: 'mono' })}
      {...register(name)}
    />
  ));
}

export function MedicalStep() {
  const { watch } = useFormContext<Values>();
  return (
    <Box maxW="820px">
      <Grid templateColumns={{ base: '1fr', md: '1fr 1fr' }} gapX="block" gapY="17px" alignItems="start">
        {watch('role') === 'healthProvider' ? <ProviderFields /> : <PatientFields />}
      </Grid>
    </Box>
  );
}
