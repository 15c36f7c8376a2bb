import type { ProfileField, User } from '@lightbox/contract/users/schemas.js';
import { FirstAidKitIcon, type Icon, IdentificationCardIcon, MapPinIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { capitalized, formatBirthday, fullName } from '../lib/format';
import type { Fact } from '../ui/Facts';
import { useViewOf } from './useViewOf';

export interface Section {
  key: 'personal' | 'address' | 'medical';
  Icon: Icon;
  facts: Fact[];
}

const whenPresent: readonly ProfileField[] = ['primphysician', 'specialization'];
const mono: readonly ProfileField[] = ['licensenumber', 'insurancenumber', 'zipcode'];

/**
 * Returns the fields of an account in the sections of the specification. A field without a value is 'N/A'. A field that
 * the viewer may not see is left out, because it may have a value.
 */
export function useSections(user: User): Section[] {
  const { t } = useTranslation();
  const all = useViewOf(user) === 'full';
  const label = (name: ProfileField) => t(`profile.field.${name}`);
  const worded = (name: ProfileField, value: string) => {
    if (name === 'dob') return formatBirthday(value);
    if (name === 'gender') return t(`users.gender.${value as 'male'}`);
    return value;
  };
  const facts = (...names: ProfileField[]): Fact[] =>
    names
      .filter((name) => user[name] || (all && !whenPresent.includes(name)))
      .map((name) => {
        const value = user[name];
        return {
          label: label(name),
          value: value ? worded(name, value) : t('profile.none'),
          mono: Boolean(value) && mono.includes(name),
        };
      });
  const sections: Section[] = [
    {
      key: 'personal',
      Icon: IdentificationCardIcon,
      facts: [
        { label: t('profile.field.fullName'), value: capitalized(fullName(user)) },
        { label: t('profile.field.email'), value: user.email },
        { label: t('profile.field.username'), value: user.username },
        ...facts('phone', 'dob', 'gender'),
      ],
    },
    { key: 'address', Icon: MapPinIcon, facts: facts('address', 'country', 'city', 'state', 'zipcode') },
    {
      key: 'medical',
      Icon: FirstAidKitIcon,
      facts: [
        { label: t('profile.field.role'), value: t(`app.role.${user.role.name}`) },
        ...facts('bloodgroup', 'licensenumber', 'insurancenumber', 'primphysician', 'specialization'),
      ],
    },
  ];
  return sections.filter((section) => section.facts.length > 0);
}
