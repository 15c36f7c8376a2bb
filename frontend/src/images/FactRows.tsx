import { Box, Grid, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';

/** Shows names and values in two columns. A row without a value is left out. */
export const FactRows = ({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <Grid as="dl" templateColumns="auto 1fr" columnGap="4" rowGap="2" fontSize="sm">
    {rows
      .filter(([, value]) => value)
      .map(([name, value]) => (
        <Box key={name} display="contents">
          <Text as="dt" color="fg.muted">
            {name}
          </Text>
          <Text as="dd" textAlign="end" fontVariantNumeric="tabular-nums" overflowWrap="anywhere">
            {value}
          </Text>
        </Box>
      ))}
  </Grid>
);
