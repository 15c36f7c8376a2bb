import { Box, Grid } from '@chakra-ui/react';
import type { ReactNode } from 'react';

export interface Fact {
  label: string;
  value: ReactNode;
  /** True for ids and document numbers, where 0 and O must not be confused. */
  mono?: boolean;
}

/** Shows labels and values as a definition list. */
export function Facts({
  facts,
  columns = { base: '1fr', sm: '1fr 1fr' },
}: {
  facts: readonly Fact[];
  columns?: object | string;
}) {
  return (
    <Grid as="dl" templateColumns={columns} gapX="6" gapY="3.5">
      {facts.map(({ label, value, mono }) => (
        <Box key={label} minW="0">
          <Box as="dt" fontSize="xs" color="fg.muted">
            {label}
          </Box>
          <Box
            as="dd"
            fontWeight="medium"
            overflowWrap="anywhere"
            dir="auto"
            {...(mono && { fontFamily: 'mono', fontSize: '.93em' })}
          >
            {value}
          </Box>
        </Box>
      ))}
    </Grid>
  );
}

interface CardFactsProps {
  facts: readonly { key: string; label: string; value: ReactNode }[];
  gapY: string;
}

/** Shows labels beside values: the columns of a table row that is drawn as a card. */
export const CardFacts = ({ facts, gapY }: CardFactsProps) => (
  <Box
    as="dl"
    mt="3"
    display="grid"
    gridTemplateColumns="fit-content(40%) minmax(0, 1fr)"
    gapX="4"
    gapY={gapY}
    fontSize="sm"
  >
    {facts.map(({ key, label, value }) => (
      <Box display="contents" key={key}>
        <Box as="dt" color="fg.muted">
          {label}
        </Box>
        <Box as="dd" minW="0" overflowWrap="anywhere">
          {value}
        </Box>
      </Box>
    ))}
  </Box>
);
