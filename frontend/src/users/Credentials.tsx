import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../lib/format';
import { Facts } from '../ui/Facts';

/** The facts about a provider that an administrator checks before a decision. */
export function Credentials({ user }: { user: UserRow }) {
  const { t } = useTranslation();
  const given = (value: string | undefined) => value || t('users.approve.missing');
  return (
    <Facts
      columns={{ base: '1fr 1fr', md: 'repeat(3, minmax(0,1fr))' }}
      facts={[
        { label: t('users.approve.license'), value: given(user.licensenumber), mono: Boolean(user.licensenumber) },
        { label: t('users.approve.specialization'), value: given(user.specialization) },
        { label: t('users.approve.place'), value: given([user.city, user.country].filter(Boolean).join(', ')) },
        {
          label: t('users.approve.insurance'),
          value: given(user.insurancenumber),
          mono: Boolean(user.insurancenumber),
        },
        { label: t('users.approve.taxid'), value: given(user.taxid), mono: Boolean(user.taxid) },
        {
          label: t('users.approve.since'),
          value: user.createAt ? formatDate(user.createAt) : t('users.approve.missing'),
        },
      ]}
    />
  );
}
