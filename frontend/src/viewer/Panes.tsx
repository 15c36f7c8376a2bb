import { Grid } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsDesktop } from '../lib/useMedia';
import type { Arrangement } from './useLayout';

/** The grid of the panes: one, two beside each other, or one large and two small. Never mirrored. */
export function Panes({ arrangement, children }: { arrangement: Arrangement; children: ReactNode }) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const count = arrangement.places.length;
  return (
    <Grid
      as="section"
      aria-label={t('viewer.panes')}
      dir="ltr"
      position="absolute"
      inset="0"
      gap="2px"
      bg="viewer.border"
      data-panes={count}
      {...(count === 2 && (desktop ? { templateColumns: '1fr 1fr' } : { templateRows: '1fr 1fr' }))}
      {...(count === 3 &&
        (desktop
          ? { templateColumns: '2fr 1fr', templateRows: '1fr 1fr', css: { '& > :first-of-type': { gridRow: '1 / 3' } } }
          : { templateRows: '1fr 1fr 1fr' }))}
      {...(count < 2 && { templateColumns: 'minmax(0, 1fr)', templateRows: 'minmax(0, 1fr)' })}
    >
      {children}
    </Grid>
  );
}
