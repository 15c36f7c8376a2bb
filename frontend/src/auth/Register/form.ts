import { zodResolver } from '@hookform/resolvers/zod';
import { type ProviderCredential, providerCredentials, Registration } from '@lightbox/contract/auth/calls.js';
import { Dob, Gender } from '@lightbox/contract/users/schemas.js';
import type { TFunction } from 'i18next';
import type { Path, Resolver } from 'react-hook-form';
import { z } from 'zod';

/** The value of every input at the start: an empty text. */
export const blank = {
  /** The token of an invitation, from the link of its mail. */
  invite: '',
  role: '',
  firstname: '',
  lastname: '',
  email: '',
  username: '',
  phone: '',
  dob: '',
  gender: '',
  country: '',
  state: '',
  city: '',
  address: '',
  zipcode: '',
  bio: '',
  primphysician: '',
  bloodgroup: '',
  licensenumber: '',
  insurancenumber: '',
  taxid: '',
  specialization: '',
  password: '',
  confirm: '',
};
export type Values = typeof blank;
export type FieldName = Path<Values>;

export const stepNames = ['role', 'personal', 'medical', 'security'] as const;
export type StepName = (typeof stepNames)[number];

const patientFields: readonly FieldName[] = ['primphysician', 'bloodgroup'];
/** The fields of providers, in the order of the form. */
export const providerFields = [...providerCredentials, 'insurancenumber', 'taxid'] as const;

export const fieldsOf: Record<StepName, readonly FieldName[]> = {
  role: ['role'],
  personal: [
    'firstname',
    'lastname',
    'email',
    'username',
    'phone',
    'dob',
    'gender',
    'country',
    'state',
    'city',
    'address',
    'zipcode',
    'bio',
  ],
  medical: [...patientFields, ...providerFields],
  security: ['password', 'confirm'],
};

const sameTwice = (t: TFunction) => ({
  path: ['confirm'],
  message: t('auth.forgot.differ'),
  // Run the check also while other fields are wrong, so that all errors appear at once.
  when: ({ value }: { value: unknown }) => Boolean((value as { confirm?: string }).confirm),
});

const missing = {
  licensenumber: 'auth.register.medical.licenseRequired',
  specialization: 'auth.register.medical.specializationRequired',
} as const satisfies Record<ProviderCredential, string>;

/** Returns the contract's rules for the credentials of a provider, none of which may be empty. */
const credentials = (t: TFunction) =>
  Object.fromEntries(
    providerCredentials.map((name) => [name, Registration.shape[name].unwrap().min(1, t(missing[name]))]),
  ) as Record<ProviderCredential, z.ZodString>;

const orBlank = <S extends z.ZodType>(schema: S) => z.union([z.literal(''), schema]);

/**
 * Returns a resolver with the contract's rules. An empty input is a missing value; a provider must give credentials.
 */
export function resolverFor(t: TFunction): Resolver<Values> {
  const common = Registration.omit({ active: true }).extend({
    invite: z.string(),
    dob: orBlank(Dob),
    gender: orBlank(Gender),
    confirm: z.string().min(1, t('auth.forgot.empty')),
  });
  const provider = common.extend(credentials(t));
  const same = ({ password, confirm }: { password: string; confirm: string }) => password === confirm;
  const patientForm = common.refine(same, sameTwice(t));
  const providerForm = provider.refine(same, sameTwice(t));
  const schemaFor = (values: Values) => (values.role === 'healthProvider' ? providerForm : patientForm);
  return (values, context, options) =>
    (zodResolver(schemaFor(values) as unknown as z.ZodType<Values, Values>) as Resolver<Values>)(
      values,
      context,
      options,
    );
}

/** Returns the body of the call: the fields of the chosen role that are not empty. */
export function toBody({ confirm: _, ...values }: Values) {
  const others: readonly FieldName[] = values.role === 'patient' ? providerFields : patientFields;
  const filled = Object.entries(values).filter(
    ([name, value]) => value.trim() !== '' && !others.includes(name as FieldName),
  );
  return { ...Object.fromEntries(filled), active: true } as unknown as z.input<typeof Registration>;
}

const key = 'registration';

/**
 * Stores the values in this tab for a reload. Passwords are never stored. The draft ends when its person leaves the form: the
 * next one at this device must not find it.
 */
export function keepDraft({ password: _p, confirm: _c, ...values }: Partial<Values>, step: number) {
  sessionStorage.setItem(key, JSON.stringify({ values, step }));
}

export function readDraft(): { values: Values; step: number } {
  // The tab was at another site, or at another address of the app, before.
  if (wasOpened()) dropDraft();
  try {
    const { values, step } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as {
      values?: Partial<Values>;
      step?: number;
    };
    return { values: { ...blank, ...values }, step: step ?? 0 };
  } catch {
    return { values: blank, step: 0 };
  }
}

export const dropDraft = () => sessionStorage.removeItem(key);

/** True when this page was opened by its address or by a link, and not by a reload or by Back. */
const wasOpened = (): boolean =>
  performance.getEntriesByType('navigation').some((one) => (one as PerformanceNavigationTiming).type === 'navigate');
