import { Link, Text, type TextProps } from '@chakra-ui/react';
import type { PublicLimits } from '@lightbox/contract/settings/calls.js';

type Clinic = Pick<PublicLimits, `clinic.${'name' | 'phone' | 'url'}`>;

/** The clinic that runs this installation, with ways to reach it. Shows nothing until an administrator names it. */
export function ClinicLine({ of, ...text }: TextProps & { of: Clinic }) {
  const { 'clinic.name': name, 'clinic.phone': phone, 'clinic.url': url } = of;
  if (!name && !phone && !url) return null;
  return (
    <Text data-clinic fontSize="sm" color="fg.muted" overflowWrap="anywhere" {...text}>
      {url ? (
        <Link href={url} target="_blank" rel="noopener noreferrer" variant="underline" color="inherit">
          <bdi>{name || url}</bdi>
        </Link>
      ) : (
        <bdi>{name}</bdi>
      )}
      {phone && (
        <>
          {(name || url) && ' · '}
          <Link href={`tel:${phone.replace(/[^+\d]/g, '')}`} variant="underline" color="inherit">
            <bdi dir="ltr">{phone}</bdi>
          </Link>
        </>
      )}
    </Text>
  );
}
