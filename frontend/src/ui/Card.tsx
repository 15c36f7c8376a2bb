import { Box, Heading } from '@chakra-ui/react';
import type { ReactNode } from 'react';

/** A section of a page, with its heading. */
export const Card = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <Box as="section" layerStyle="card" px={{ base: '5', md: '7' }} py={{ base: '5', md: '6' }}>
    <Heading as="h2" textStyle="section" display="flex" alignItems="center" gap="3" mb="4">
      {title}
    </Heading>
    {children}
  </Box>
);
