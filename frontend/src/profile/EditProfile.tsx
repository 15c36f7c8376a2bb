import { Box, Button, Dialog, Grid, Heading, NativeSelect, Textarea } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { ProfileChange, type ProfileField, type User } from '@lightbox/contract/users/schemas.js';
import { firstBirthday } from '@lightbox/contract/written.js';
import { type ComponentProps, useEffect, useId, useMemo } from 'react';
import { FormProvider, useForm, useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { placeErrors } from '../auth/forms';
import { updateSessionUser } from '../auth/session';
import { bloodGroups } from '../lib/bloodGroups';
import { countryNames } from '../lib/countries';
import { errorText } from '../lib/errors';
import { toast } from '../lib/toaster';
import { Field, TextField } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { useUpdateProfile } from '../users/users';

type Values = z.input<typeof ProfileChange>;
type Name = ProfileField | 'username';

const names = Object.keys(ProfileChange.shape) as Name[];
const genders = ['male', 'female', 'other'] as const;

const valuesOf = (user: User) => Object.fromEntries(names.map((name) => [name, user[name] ?? ''])) as Values;

const span = (of6: number) => ({ gridColumn: { base: 'span 6', md: `span ${of6}` } });

function Line({ name, of6 = 3, ...rest }: { name: Name; of6?: number } & Partial<ComponentProps<typeof TextField>>) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<Values>();
  return (
    <Box {...span(of6)} minW="0">
      <TextField
        label={t(`profile.field.${name}`)}
        error={formState.errors[name]?.message}
        {...rest}
        {...register(name)}
      />
    </Box>
  );
}

function Choice({
  name,
  of6 = 2,
  none,
  options,
}: {
  name: Name;
  of6?: number;
  none: string;
  options: readonly { value: string; label: string }[];
}) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<Values>();
  return (
    <Box {...span(of6)} minW="0">
      <Field label={t(`profile.field.${name}`)} error={formState.errors[name]?.message}>
        <NativeSelect.Root size="lg">
          <NativeSelect.Field h="field" {...register(name)}>
            <option value="">{none}</option>
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </NativeSelect.Field>
          <NativeSelect.Indicator />
        </NativeSelect.Root>
      </Field>
    </Box>
  );
}

const Part = ({ children }: { children: string }) => (
  <Heading as="h3" gridColumn="span 6" fontSize="md" mt="2">
    {children}
  </Heading>
);

function PersonalFields() {
  const { t } = useTranslation();
  return (
    <>
      <Part>{t('profile.personal')}</Part>
      <Line name="firstname" autoComplete="given-name" dir="auto" />
      <Line name="lastname" autoComplete="family-name" dir="auto" />
      <Line name="username" autoComplete="username" autoCapitalize="none" spellCheck={false} />
      <Line name="phone" type="tel" inputMode="tel" autoComplete="tel" dir="ltr" />
      <Line
        name="dob"
        type="date"
        autoComplete="bday"
        min={firstBirthday}
        max={new Date().toISOString().slice(0, 10)}
      />
      <Choice
        name="gender"
        of6={3}
        none={t('profile.form.genderNone')}
        options={genders.map((value) => ({ value, label: t(`users.gender.${value}`) }))}
      />
    </>
  );
}

function AddressFields() {
  const { t } = useTranslation();
  const id = useId();
  const countries = useMemo(countryNames, []);
  return (
    <>
      <Part>{t('profile.address')}</Part>
      <Line name="address" of6={4} autoComplete="street-address" dir="auto" />
      <Line name="zipcode" of6={2} autoComplete="postal-code" />
      <Line name="city" of6={2} autoComplete="address-level2" dir="auto" />
      <Line name="state" of6={2} autoComplete="address-level1" dir="auto" />
      <Line name="country" of6={2} autoComplete="country-name" list={id} />
      <datalist id={id}>
        {countries.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** The medical fields: the physician for patients; credentials and a specialization for providers. */
function MedicalFields({ role }: { role: User['role']['name'] }) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<Values>();
  return (
    <>
      <Part>{t('profile.medical')}</Part>
      <Choice
        name="bloodgroup"
        none={t('profile.form.bloodgroupNone')}
        options={bloodGroups.map((value) => ({ value, label: value }))}
      />
      {role === 'patient' && <Line name="primphysician" of6={4} label={t('profile.form.primphysician')} dir="auto" />}
      {role === 'healthProvider' && (
        <>
          <Line name="specialization" of6={4} dir="auto" />
          <Line name="licensenumber" of6={2} autoComplete="off" />
        </>
      )}
      <Line name="insurancenumber" of6={2} autoComplete="off" />
      {role === 'healthProvider' && <Line name="taxid" of6={2} autoComplete="off" />}
      <Box {...span(6)}>
        <Field label={t('profile.bio')} error={formState.errors.bio?.message}>
          <Textarea size="lg" rows={3} dir="auto" {...register('bio')} />
        </Field>
      </Box>
    </>
  );
}

/** The form of the profile. It sends only changed fields; after a failure the typed values stay. */
export function EditProfile({ user, open, onClose }: { user: User; open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const id = useId();
  const save = useUpdateProfile();
  const form = useForm<Values, unknown, z.output<typeof ProfileChange>>({
    resolver: zodResolver(ProfileChange),
    defaultValues: valuesOf(user),
  });
  const { reset, formState } = form;
  const { dirtyFields } = formState;
  // Typed values stay when the profile is read again while the form is open.
  useEffect(() => reset(valuesOf(user), { keepDirtyValues: open }), [open, user, reset]);

  const submit = form.handleSubmit((values) => {
    const body = Object.fromEntries(names.filter((name) => dirtyFields[name]).map((name) => [name, values[name]]));
    if (Object.keys(body).length === 0) {
      toast.info(t('profile.form.unchanged'));
      return onClose();
    }
    save.mutate(body, {
      onSuccess: ({ data }) => {
        updateSessionUser(data);
        toast.success(t('profile.form.done'));
        onClose();
      },
      onError: (error) => {
        if (!placeErrors(error, names, form.setError)) toast.error(errorText(error, t('profile.form.failed')));
      },
    });
  });
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={t('profile.edit')}
      sub={t('profile.form.sub')}
      scrollBehavior="inside"
      maxW={{ base: '100vw', md: '760px' }}
    >
      <Dialog.Body>
        <FormProvider {...form}>
          <form id={id} onSubmit={submit} noValidate>
            <Grid templateColumns="repeat(6, minmax(0, 1fr))" gapX="block" gapY="17px">
              <PersonalFields />
              <AddressFields />
              <MedicalFields role={user.role.name} />
            </Grid>
          </form>
        </FormProvider>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" form={id} loading={save.isPending} loadingText={t('profile.form.save')}>
          {t('profile.form.save')}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
