import { Box, Flex, Grid, Heading, Textarea } from '@chakra-ui/react';
import { firstBirthday } from '@lightbox/contract/written.js';
import { EnvelopeSimpleIcon, PhoneIcon } from '@phosphor-icons/react';
import { type ComponentProps, useId, useMemo } from 'react';
import { useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { countryNames } from '../../lib/countries';
import { Field, TextField } from '../../ui/Field';
import { Segment } from '../../ui/Segment';
import type { FieldName, Values } from './form';

const half = { gridColumn: { base: 'span 6', md: 'span 3' } };
const third = { gridColumn: { base: 'span 6', md: 'span 2' } };
const wide = { gridColumn: { base: 'span 6', md: 'span 4' } };
const full = { gridColumn: 'span 6' };

type LineProps = Omit<ComponentProps<typeof TextField>, 'label'> & { name: FieldName; span: object };

/** One text field of this step. Its name gives the label, the error and the form field. */
function Line({ name, span, ...rest }: LineProps) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<Values>();
  return (
    <Box {...span} minW="0">
      <TextField
        label={t(`auth.register.personal.${name as 'firstname'}`)}
        error={formState.errors[name]?.message}
        {...rest}
        {...register(name)}
      />
    </Box>
  );
}

function Genders() {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<Values>();
  const id = useId();
  const error = formState.errors.gender?.message;
  return (
    <Field label={<span id={id}>{t('auth.register.personal.gender')}</span>} optional error={error}>
      <Segment
        labelledBy={id}
        invalid={Boolean(error)}
        // The spelling of the specification; the server stores it in lower case.
        options={(['Male', 'Female', 'Other'] as const).map((value) => ({
          value,
          label: t(`auth.register.personal.${value.toLowerCase() as 'male'}`),
        }))}
        {...register('gender')}
      />
    </Field>
  );
}

export function PersonalStep() {
  const { t } = useTranslation();
  const { register, formState, watch } = useFormContext<Values>();
  const invited = watch('invite') !== '';
  const countries = useId();
  const names = useMemo(countryNames, []);
  const today = new Date().toISOString().slice(0, 10);
  return (
    <Grid templateColumns="repeat(6, minmax(0, 1fr))" gapX="block" gapY="17px">
      <Line name="firstname" span={half} autoComplete="given-name" dir="auto" />
      <Line name="lastname" span={half} autoComplete="family-name" dir="auto" />
      <Line
        name="email"
        span={half}
        type="email"
        inputMode="email"
        autoComplete="email"
        Icon={EnvelopeSimpleIcon}
        {...(invited && { readOnly: true, help: t('auth.invite.address') })}
      />
      <Line
        name="username"
        span={half}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        help={t('auth.register.personal.usernameHelp')}
      />
      <Line
        name="phone"
        span={third}
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        dir="ltr"
        Icon={PhoneIcon}
        optional
      />
      <Line name="dob" span={third} type="date" autoComplete="bday" min={firstBirthday} max={today} optional />
      <Box {...third} minW="0">
        <Genders />
      </Box>
      <Flex {...full} align="center" gap="3" mt="1">
        <Heading as="h2" fontSize="md">
          {t('auth.register.personal.address')}{' '}
          <Box as="span" fontWeight="normal" color="fg.muted">
            {t('common.optional')}
          </Box>
        </Heading>
        <Box flex="1" h="1px" bg="border" aria-hidden />
      </Flex>
      <Line name="country" span={third} autoComplete="country-name" list={countries} />
      <datalist id={countries}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Line name="state" span={third} autoComplete="address-level1" dir="auto" />
      <Line name="city" span={third} autoComplete="address-level2" dir="auto" />
      <Line name="address" span={wide} autoComplete="street-address" dir="auto" />
      <Line name="zipcode" span={third} autoComplete="postal-code" />
      <Box {...full}>
        <Field
          label={t('auth.register.personal.bio')}
          optional
          help={t('auth.register.personal.bioHelp')}
          error={formState.errors.bio?.message}
        >
          <Textarea size="lg" rows={3} dir="auto" {...register('bio')} />
        </Field>
      </Box>
    </Grid>
  );
}
